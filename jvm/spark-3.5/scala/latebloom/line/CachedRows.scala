// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.{ColumnarToRowExec, InputAdapter, SparkPlan}
import org.apache.spark.sql.execution.{RowToColumnarExec, WholeStageCodegenExec}

/** What Spark caches. */
private[latebloom] object CachedRows {

  /** The plan whose rows Spark caches, optimised: this line keeps only the physical plan, whose
    * nodes know what they were made of. None: the topmost node does not.
    */
  def planOf(cached: InMemoryRelation): Option[LogicalPlan] = origin(cached.cachedPlan)

  /** Looks through nodes that have the same rows as their child, and were not planned. */
  @tailrec
  private def origin(plan: SparkPlan): Option[LogicalPlan] = plan match {
    case planned if planned.logicalLink.isDefined => planned.logicalLink
    case adaptive: AdaptiveSparkPlanExec          => origin(adaptive.inputPlan)
    case codegen: WholeStageCodegenExec           => origin(codegen.child)
    case input: InputAdapter                      => origin(input.child)
    case rows: ColumnarToRowExec                  => origin(rows.child)
    case columns: RowToColumnarExec               => origin(columns.child)
    case _                                        => None
  }
}
