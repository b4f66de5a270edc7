// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import java.util.{Collections, IdentityHashMap}

import scala.collection.mutable

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.exchange.{Exchange, ReusedExchangeExec}

import latebloom.scan.LateAggregateExec

/** Walks a plan, including adaptive plans, stages, reused exchanges, caches and subqueries. */
object PlanNodes {

  /** Every node once, however often it is reused, parents before children. Spark's adaptive
    * execution reuses exchanges when it comes to them: before that, equal ones count as one.
    */
  def all(plan: SparkPlan): Seq[SparkPlan] = {
    val seen = Collections.newSetFromMap(new IdentityHashMap[SparkPlan, java.lang.Boolean])
    val planned = mutable.HashSet.empty[SparkPlan]
    val nodes = mutable.ArrayBuffer.empty[SparkPlan]
    def isNew(node: SparkPlan, isPlanned: Boolean): Boolean = seen.add(node) && (node match {
      case exchange: Exchange if isPlanned => planned.add(exchange.canonicalized)
      case _                               => true
    })
    def visit(node: SparkPlan, isPlanned: Boolean): Unit = if (isNew(node, isPlanned)) {
      nodes += node
      val arePlanned = node match {
        case adaptive: AdaptiveSparkPlanExec =>
          !adaptive.isFinalPlan && node.conf.exchangeReuseEnabled
        case _: QueryStageExec => false
        case _                 => isPlanned
      }
      below(node).foreach(visit(_, arePlanned))
      // Typed as physical plans, but a subquery that was never planned is still a logical one.
      (node.subqueries: Seq[Any]).foreach {
        case subquery: SparkPlan => visit(subquery, arePlanned)
        case _                   =>
      }
    }
    visit(plan, isPlanned = false)
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
