// SPDX-License-Identifier: Apache-2.0
package latebloom

import scala.util.Properties

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.latebloom.ui.QueryReports

import latebloom.estimate.SizedScans
import latebloom.join.JoinFilters
import latebloom.joinkeys.JoinKeysPlanning
import latebloom.line.SparkLine
import latebloom.rules.{IcebergPlanning, LateScans}
import latebloom.scan.ExecutorsWithoutJar
import latebloom.sql.TableFunctions
import latebloom.tables.{FileTables, IcebergTables}
import latebloom.topk.TopK
import latebloom.toprows.TopRowsPlanning

/** The class to name in `spark.sql.extensions`. Adds nothing to a session of a Spark version that
  * the jar does not support.
  *
  * @param spark
  *   the running version of Spark
  * @param scala
  *   the version of its Scala
  */
class LateBloomExtensions(spark: String, scala: String)
    extends (SparkSessionExtensions => Unit) {

  /** The constructor that Spark calls. */
  def this() = this(SPARK_VERSION, Properties.versionNumberString)

  override def apply(extensions: SparkSessionExtensions): Unit =
    if (SparkLine.isSupported(spark, scala)) {
      Registration(extensions)
    } else {
      SparkLine.refuse(spark, scala)
    }
}

/** Registers all that LateBloom adds to a session. Loaded only in a supported Spark. */
private object Registration {
  def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectPlannerStrategy(_ => JoinKeysPlanning)
    extensions.injectPlannerStrategy(_ => TopRowsPlanning)
    extensions.injectPlannerStrategy(_ => IcebergPlanning)
    extensions.injectOptimizerRule(_ => FileTables)
    // An extension's rules run before subqueries become joins and before predicates reach their
    // final place; a session's rules run after both. Spark calls this function each time it
    // optimises.
    extensions.injectOptimizerRule { session =>
      QueryReports.attach(session)
      ExecutorsWithoutJar.attach(session.sparkContext)
      val experimental = session.experimental
      // Join filters depend on how Spark will join; a search for the first rows of an order copies the join
      // filters of its scans.
      val missing =
        Seq(IcebergTables, SizedScans, JoinFilters, TopK).diff(experimental.extraOptimizations)
      if (missing.nonEmpty) experimental.extraOptimizations ++= missing
      NoRule
    }
    // With adaptive execution: a plan then shows its scans before it runs.
    extensions.injectQueryStagePrepRule(_ => LateScans)
    // Without adaptive execution.
    extensions.injectColumnar(_ =>
      new ColumnarRule {
        override def preColumnarTransitions: Rule[SparkPlan] = LateScans
      }
    )
    TableFunctions.register(extensions)
  }
}

/** Does nothing, where Spark requires a rule. */
private object NoRule extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan
}
