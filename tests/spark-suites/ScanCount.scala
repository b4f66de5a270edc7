// SPDX-License-Identifier: Apache-2.0

package latebloom.suites

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, FileSourceScanExec, SparkPlan}

import latebloom.scan.LateScan

/** An extension that counts the file scans of every plan about to run, by whose they are, and the
  * join filters of ours.
  */
class ScanCount extends (SparkSessionExtensions => Unit) {
  // A columnar rule sees each plan (with AQE, each query stage) once, when it is final.
  override def apply(extensions: SparkSessionExtensions): Unit =
    extensions.injectColumnar(_ => ScanCount.rule)
}

object ScanCount {
  private val late = new AtomicLong
  private val sparks = new AtomicLong
  private val joins = new AtomicLong

  /** (scans that are LateScans, scans that stayed Spark's, join filters) since the JVM started. */
  def now: (Long, Long, Long) = (late.get, sparks.get, joins.get)

  private val count = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan = {
      plan.foreach {
        case scan: LateScan =>
          late.incrementAndGet()
          joins.addAndGet(scan.joinFilters.size)
        case _: FileSourceScanExec => sparks.incrementAndGet()
        case _                     =>
      }
      plan
    }
  }

  private val rule = new ColumnarRule {
    override def postColumnarTransitions: Rule[SparkPlan] = count
  }
}
