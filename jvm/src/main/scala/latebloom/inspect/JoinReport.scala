// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.BaseJoinExec

import latebloom.decision.Reason
import latebloom.join.JoinFilters

/** Reports the decision about one side of an equi-join.
  *
  * @param node
  *   Spark's join node
  * @param on
  *   the keys of the side whose scans could take a filter, as SQL
  * @param filters
  *   the filters of those scans
  * @param declined
  *   why they have none; None if they have filters
  * @param join
  *   the node
  */
final case class JoinReport(
    node: String,
    on: String,
    filters: Seq[String],
    declined: Option[Reason]
)(join: SparkPlan) {

  /** Of the files below the join. */
  def bytes: Option[Long] = ScanReport.bytes(join)
}

object JoinReport {

  /** The reports on both sides of all equi-joins of a plan, in plan order. */
  def ofPlan(plan: SparkPlan): Seq[JoinReport] = PlanNodes.all(plan).flatMap {
    case join: BaseJoinExec =>
      JoinFilters.decisions(join).map { d =>
        JoinReport(s"${join.nodeName} ${join.joinType}", d.on, d.filters, d.declined)(join)
      }
    case _ => Nil
  }
}
