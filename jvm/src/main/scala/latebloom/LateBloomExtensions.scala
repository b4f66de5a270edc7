// SPDX-License-Identifier: Apache-2.0
package latebloom

import scala.util.Properties

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

import latebloom.join.JoinFilters
import latebloom.joinkeys.JoinKeysPlanning
import latebloom.rules.LateScans

/** What `spark.sql.extensions` names. Adds nothing to the session of a Spark that the jar is not
  * for.
  *
  * @param spark
  *   the version of the Spark that runs
  * @param scala
  *   the version of its Scala
  */
class LateBloomExtensions(spark: String, scala: String)
    extends (SparkSessionExtensions => Unit) {

  /** What Spark calls. */
  def this() = this(SPARK_VERSION, Properties.versionNumberString)

  override def apply(extensions: SparkSessionExtensions): Unit =
    if (SparkLine.isSupported(spark, scala)) {
      Registration(extensions)
    } else {
      SparkLine.refuse(spark, scala)
    }
}

/** All that LateBloom adds to a session. Not loaded before Spark's line is known. */
private object Registration {
  def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectPlannerStrategy(_ => JoinKeysPlanning)
    // Rules of an extension run before subqueries become joins and before predicates are where they
    // stay; rules of the session run after both. Spark asks for the former each time it optimises.
    extensions.injectOptimizerRule { session =>
      val experimental = session.experimental
      if (!experimental.extraOptimizations.contains(JoinFilters)) {
        experimental.extraOptimizations :+= JoinFilters
      }
      NoRule
    }
    // With adaptive execution, so that a plan shows its scans before it runs.
    extensions.injectQueryStagePrepRule(_ => LateScans)
    // Without adaptive execution.
    extensions.injectColumnar(_ =>
      new ColumnarRule {
        override def preColumnarTransitions: Rule[SparkPlan] = LateScans
      }
    )
  }
}

/** Stands where Spark wants a rule and there is none. */
private object NoRule extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan
}
