// SPDX-License-Identifier: Apache-2.0

package latebloom.suites

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.{ColumnarRule, FileSourceScanExec, SparkPlan}

import latebloom.scan.LateScan

/** An extension that counts LateScans, Spark's file scans and join filters in every executed plan.
  */
class ScanCount extends (SparkSessionExtensions => Unit) {
  // A columnar rule sees each final plan (with AQE, each query stage) once.
  override def apply(extensions: SparkSessionExtensions): Unit =
    extensions.injectColumnar(_ => ScanCount.rule)
}

object ScanCount {
  private val late = new AtomicLong
  private val sparks = new AtomicLong
  private val joins = new AtomicLong

  /** (LateScans, Spark's scans, join filters) since the JVM started. */
  def now: (Long, Long, Long) = (late.get, sparks.get, joins.get)

  private val count = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan = {
      plan.foreach {
        case scan: LateScan =>
          late.incrementAndGet()
          joins.addAndGet(scan.joinFilters.size)
        case _: FileSourceScanExec | _: BatchScanExec => sparks.incrementAndGet()
        case _                                        =>
      }
      plan
    }
  }

  private val rule = new ColumnarRule {
    override def postColumnarTransitions: Rule[SparkPlan] = count
  }
}
