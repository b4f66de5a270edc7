// SPDX-License-Identifier: Apache-2.0

package latebloom.suites

import scala.collection.mutable

import org.apache.commons.lang3.exception.ExceptionUtils
import org.scalatest.events._
import org.scalatest.{Args, Reporter, Suite}

/** The result of a suite; `failed` maps each test that ran and did not pass to its error. */
final case class SuiteRun(
    suite: String,
    passed: Set[String],
    failed: Map[String, String],
    seconds: Long,
    lateScans: Long,
    sparkScans: Long,
    joinFilters: Long
) {
  def tests: Int = passed.size + failed.size
}

object SuiteRun {

  /** The key in `failed` of a suite that ended before its tests did. */
  val aborted = "(the suite itself)"

  /** Runs a suite in this thread, so that each event arrives while its test is current. */
  def apply(className: String): SuiteRun = {
    val name = className.split('.').last
    val passed = mutable.LinkedHashSet.empty[String]
    val failed = mutable.LinkedHashMap.empty[String, String]

    def fail(test: String, message: String, error: Option[Throwable]): Unit = {
      failed(test) = error.fold(message)(ExceptionUtils.getStackTrace)
      println(s"- $test: $message")
    }
    val reporter: Reporter = {
      case e: TestSucceeded => passed += e.testName
      case e: TestFailed    => fail(e.testName, e.message, e.throwable)
      case e: TestCanceled  => fail(e.testName, s"cancelled: ${e.message}", None)
      case e: SuiteAborted  => fail(aborted, e.message, e.throwable)
      case _                =>
    }

    val (late, sparks, joins) = ScanCount.now
    val start = System.nanoTime
    try {
      val suite = Class.forName(className).getDeclaredConstructor().newInstance()
      suite.asInstanceOf[Suite].run(None, Args(reporter))
    } catch {
      // A suite that can't start must not hide the others' results.
      case e: Throwable => fail(aborted, String.valueOf(e.getMessage), Some(e))
    }
    val seconds = (System.nanoTime - start) / 1000000000L
    val (lateAfter, sparksAfter, joinsAfter) = ScanCount.now
    SuiteRun(
      name,
      passed.toSet,
      failed.toMap,
      seconds,
      lateAfter - late,
      sparksAfter - sparks,
      joinsAfter - joins
    )
  }
}
