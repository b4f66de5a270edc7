// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import java.util.{Collections, IdentityHashMap}

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec

import latebloom.decision.Reason
import latebloom.topk.TopK

/** Reports the decision about one query for the first rows of an order.
  *
  * @param node
  *   Spark's node that orders
  * @param on
  *   the order, as SQL
  * @param declined
  *   why all columns are read at once; None if the rows are searched first
  * @param order
  *   the node itself
  */
final case class TopKReport(node: String, on: String, declined: Option[Reason])(order: SparkPlan) {

  /** Of the files below the node. */
  def bytes: Option[Long] = ScanReport.bytes(order)
}

object TopKReport {

  /** The reports on all ORDER BY with LIMIT of a plan, in plan order. */
  def ofPlan(plan: SparkPlan): Seq[TopKReport] = {
    val seen = Collections.newSetFromMap(new IdentityHashMap[LogicalPlan, java.lang.Boolean])
    for {
      node <- PlanNodes.all(plan) if !node.isInstanceOf[AdaptiveSparkPlanExec]
      decision <- TopK.decision(node) if node.logicalLink.exists(seen.add)
    } yield TopKReport(node.nodeName, decision.on, decision.declined)(node)
  }
}
