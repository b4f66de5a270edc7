// SPDX-License-Identifier: Apache-2.0

package latebloom.suites

/** Suites of a product that run with the extension attached. */
trait SuiteList {

  /** The classes of those that run if none is named. */
  protected def classes: Seq[String]

  /** The classes of those that run when they are named. */
  protected def others: Seq[String] = Nil

  /** Of those that CI runs, by names. */
  def ci: Seq[String]

  def all: Seq[String] = classes.map(SuiteList.name)

  /** By their names, which have no package. */
  def classNames: Map[String, String] = (classes ++ others).map(c => SuiteList.name(c) -> c).toMap
}

object SuiteList {
  def name(className: String): String = className.split('.').last
}
