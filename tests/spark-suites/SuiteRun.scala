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

  /** Where the tests of a running suite are written down. */
  final class Results {
    private[SuiteRun] val passed = mutable.LinkedHashSet.empty[String]
    private[SuiteRun] val failed = mutable.LinkedHashMap.empty[String, String]

    def pass(test: String): Unit = passed += test

    def fail(test: String, message: String, error: Option[Throwable]): Unit = {
      failed(test) = error.fold(message)(ExceptionUtils.getStackTrace)
      println(s"- $test: $message")
    }
  }

  /** What `run` writes down of a suite, with the scans that it planned. */
  def of(className: String)(run: Results => Unit): SuiteRun = {
    val results = new Results
    val (late, sparks, joins) = ScanCount.now
    val start = System.nanoTime
    try run(results)
    catch {
      // A suite that can't start must not hide the others' results.
      case e: Throwable => results.fail(aborted, String.valueOf(e.getMessage), Some(e))
    }
    val seconds = (System.nanoTime - start) / 1000000000L
    val (lateAfter, sparksAfter, joinsAfter) = ScanCount.now
    SuiteRun(
      SuiteList.name(className),
      results.passed.toSet,
      results.failed.toMap,
      seconds,
      lateAfter - late,
      sparksAfter - sparks,
      joinsAfter - joins
    )
  }

  /** Runs a suite of ScalaTest in this thread, so that each event arrives while its test is
    * current.
    */
  def apply(className: String): SuiteRun = of(className) { results =>
    val reporter: Reporter = {
      case e: TestSucceeded => results.pass(e.testName)
      case e: TestFailed    => results.fail(e.testName, e.message, e.throwable)
      case e: TestCanceled  => results.fail(e.testName, s"cancelled: ${e.message}", None)
      case e: SuiteAborted  => results.fail(aborted, e.message, e.throwable)
      case _                =>
    }
    val suite = Class.forName(className).getDeclaredConstructor().newInstance()
    suite.asInstanceOf[Suite].run(None, Args(reporter))
    ()
  }
}
