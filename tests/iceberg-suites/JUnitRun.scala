// SPDX-License-Identifier: Apache-2.0

package latebloom.suites.iceberg

import org.junit.platform.engine.TestExecutionResult.Status
import org.junit.platform.engine.discovery.DiscoverySelectors.selectClass
import org.junit.platform.engine.{TestExecutionResult, UniqueId}
import org.junit.platform.launcher.core.{LauncherDiscoveryRequestBuilder, LauncherFactory}
import org.junit.platform.launcher.{TestExecutionListener, TestIdentifier}

import latebloom.suites.SuiteRun

/** Runs a class of JUnit's tests. */
object JUnitRun {

  /** A test is named by its method and, where it runs with several parameters, their number; those
    * that an assumption leaves out are not counted.
    */
  def apply(className: String): SuiteRun = SuiteRun.of(className) { results =>
    val listener = new TestExecutionListener {
      override def executionFinished(test: TestIdentifier, result: TestExecutionResult): Unit = {
        val error = Option(result.getThrowable.orElse(null))
        def message = error.fold("failed")(e => String.valueOf(e.getMessage))
        result.getStatus match {
          case Status.FAILED if test.isTest     => results.fail(name(test), message, error)
          case Status.FAILED                    => results.fail(SuiteRun.aborted, message, error)
          case Status.SUCCESSFUL if test.isTest => results.pass(name(test))
          case _                                =>
        }
      }
    }
    val request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(className))
    LauncherFactory.create().execute(request.build(), listener)
  }

  private def name(test: TestIdentifier): String = {
    val segments = UniqueId.parse(test.getUniqueId).getSegments
    (2 until segments.size).map(i => segments.get(i).getValue).mkString(" ")
  }
}
