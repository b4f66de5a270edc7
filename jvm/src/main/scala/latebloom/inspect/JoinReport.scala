// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.BaseJoinExec

import latebloom.decision.Reason
import latebloom.join.JoinFilters

/** What became of one side of an equi-join.
  *
  * @param node
  *   how Spark executes the join
  * @param on
  *   the keys of the side whose scans could be filtered, as SQL
  * @param filters
  *   what they are filtered by
  * @param declined
  *   why they are not; None where they are
  */
final case class JoinReport(
    node: String,
    on: String,
    filters: Seq[String],
    declined: Option[Reason]
)

object JoinReport {

  /** The reports on both sides of all equi-joins of a plan, in the order of the plan. */
  def ofPlan(plan: SparkPlan): Seq[JoinReport] = PlanNodes.all(plan).flatMap {
    case join: BaseJoinExec =>
      JoinFilters.decisions(join)
        .map(d => JoinReport(s"${join.nodeName} ${join.joinType}", d.on, d.filters, d.declined))
    case _ => Nil
  }
}
