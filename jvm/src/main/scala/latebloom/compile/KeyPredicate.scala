// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import latebloom.read.ScanFilter

/** Tests whether a row's key may be among known keys, or within a known bound: a condition that the
  * answer does not need.
  */
private[latebloom] trait KeyPredicate {

  /** Its text in EXPLAIN, which shows no key. */
  def text: String

  /** The column whose values are exactly the keys. */
  def column: Option[Attribute]

  /** Finds the keys, which may not be known yet, as a predicate on [[column]]. */
  def source: ScanFilter.KeySource

  /** The predicate as an expression on the columns of the scan. */
  def condition: Expression
}
