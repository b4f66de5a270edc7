// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.BaseJoinExec

import latebloom.decision.Reason
import latebloom.join.{JoinDecision, JoinFilters}

/** Reports the decision about one side of an equi-join.
  *
  * @param node
  *   Spark's join node
  * @param side
  *   that whose scans could take a filter: its keys, its tables, their filters, or why they have
  *   none
  * @param join
  *   the node
  */
final case class JoinReport(
    node: String,
    side: JoinDecision
)(join: SparkPlan) {

  def declined: Option[Reason] = side.declined

  /** The keys of the side, and whose they are. */
  def of: String = side.on + side.tables.fold("")(" in " + _)

  /** Of the files below the join. */
  def bytes: Option[Long] = ScanReport.bytes(join)
}

object JoinReport {

  /** The reports on both sides of all equi-joins of a plan, in plan order. */
  def ofPlan(plan: SparkPlan): Seq[JoinReport] = PlanNodes.all(plan).flatMap {
    case join: BaseJoinExec =>
      JoinFilters.decisions(join).map(JoinReport(s"${join.nodeName} ${join.joinType}", _)(join))
    case _ => Nil
  }
}
