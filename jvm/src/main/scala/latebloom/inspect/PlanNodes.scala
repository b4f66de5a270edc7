// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import java.util.{Collections, IdentityHashMap}

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

import latebloom.scan.LateAggregateExec

/** Walks a plan, including adaptive plans, stages, reused exchanges, caches and subqueries. */
object PlanNodes {

  /** Every node once, however often it is reused, parents before children. */
  def all(plan: SparkPlan): Seq[SparkPlan] = {
    val seen = Collections.newSetFromMap(new IdentityHashMap[SparkPlan, java.lang.Boolean])
    val nodes = ArrayBuffer.empty[SparkPlan]
    def visit(node: SparkPlan): Unit = if (seen.add(node)) {
      nodes += node
      below(node).foreach(visit)
      // Typed as physical plans, but a subquery that was never planned is still a logical one.
      (node.subqueries: Seq[Any]).foreach {
        case subquery: SparkPlan => visit(subquery)
        case _                   =>
      }
    }
    visit(plan)
    nodes.toSeq
  }

  private def below(node: SparkPlan): Seq[SparkPlan] = node match {
    case adaptive: AdaptiveSparkPlanExec => Seq(adaptive.executedPlan)
    case stage: QueryStageExec           => Seq(stage.plan)
    case reused: ReusedExchangeExec      => Seq(reused.child)
    case reused: ReusedSubqueryExec      => Seq(reused.child)
    case cached: InMemoryTableScanExec   => Seq(cached.relation.cachedPlan)
    case command: CommandResultExec      => Seq(command.commandPhysicalPlan)
    case aggregate: LateAggregateExec    => Seq(aggregate.scan)
    case other                           => other.children
  }
}
