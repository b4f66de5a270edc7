// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.decision.Reason

/** Turns the keys of one side of a join into a filter on the scans of the other.
  *
  * It runs after Spark has optimised a query, turned its subqueries into joins and pushed its
  * predicates down. It first makes all decisions on the unchanged plan ([[FilterPlanning]]); then
  * it adds a Filter to each chosen scan ([[FilteredPlan]]).
  */
object JoinFilters extends Rule[LogicalPlan] {

  private val tag = TreeNodeTag[Seq[JoinDecision]]("latebloom.joinDecisions")

  /** The decisions about the join that a node executes; empty if it compares no keys. */
  def decisions(node: SparkPlan): Seq[JoinDecision] =
    node.logicalLink.flatMap(_.getTagValue(tag)).getOrElse(Nil)

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case s: Subquery if s.correlated => plan
    case _ if plan.isStreaming       => plan
    case _                           =>
      val undecided = plan.collect { case FilteringJoin(j) if j.join.getTagValue(tag).isEmpty => j }
      val settings = LateBloomConf.settings(conf)
      if (undecided.isEmpty || !settings.enabled) plan
      else {
        val planning = new FilterPlanning(plan, undecided, settings)
        val (decided, filters) = planning.result
        decided.foreach { case (j, decisions) => j.join.setTagValue(tag, decisions) }
        if (filters.isEmpty) plan else new FilteredPlan(plan, filters, settings.join.limits).result
      }
  }
}

/** The decision about one side of a join on equal keys or on ranges.
  *
  * @param on
  *   the keys of the side to filter, as SQL
  * @param tables
  *   the tables that this side reads; None if none has a name
  * @param filters
  *   the filters of its scans
  * @param declined
  *   why there is no filter
  */
final case class JoinDecision(
    on: String,
    tables: Option[String],
    filters: Seq[String],
    declined: Option[Reason]
)
