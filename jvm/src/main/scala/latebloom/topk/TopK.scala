// SPDX-License-Identifier: Apache-2.0
package latebloom.topk

import org.apache.spark.sql.catalyst.expressions.IntegerLiteral
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.{TreeNodeTag, TreePattern}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.decision.Reason
import latebloom.toprows.AmongTopRows

/** Turns a query for the first rows of an order into two: a subquery that finds where these rows
  * are stored, by the columns of the order and of the filters alone, and the query itself, whose
  * scan reads nothing but these rows.
  *
  * It runs after [[latebloom.join.JoinFilters]].
  */
object TopK extends Rule[LogicalPlan] {

  private val tag = TreeNodeTag[TopKDecision]("latebloom.topKDecision")

  /** The decision about the order and limit that a node executes; None if it has none. */
  def decision(node: SparkPlan): Option[TopKDecision] =
    node.logicalLink.flatMap(_.getTagValue(tag))

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case s: Subquery if s.correlated                   => plan
    case _ if plan.isStreaming                         => plan
    case _ if !plan.containsPattern(TreePattern.LIMIT) => plan
    case _                                             =>
      val settings = LateBloomConf.settings(conf)
      if (!settings.enabled) plan
      else plan.transformDown {
        case limited @ Limited(wanted, sort)
            if limited.getTagValue(tag).isEmpty && !isSearched(sort) =>
          val search = new TopKSearch(sort, wanted, settings)
          val result = search.result.fold(
            _ => limited,
            found => limited.transformDown { case s: Sort if s eq sort => found }
          )
          result.setTagValue(tag, TopKDecision(search.text, search.result.left.toOption))
          result
      }
  }

  private def isSearched(sort: Sort): Boolean = sort.exists(_.expressions.exists(_.exists {
    case _: AmongTopRows => true
    case _               => false
  }))

  /** A query for the first rows of an order; how many of the ordered rows it needs. */
  private object Limited {
    def unapply(plan: LogicalPlan): Option[(Long, Sort)] = plan match {
      case _: GlobalLimit | _: Offset => ordered(plan, None).filter(_._1 > 0)
      case _                          => None
    }

    private def ordered(plan: LogicalPlan, wanted: Option[Long]): Option[(Long, Sort)] =
      plan match {
        case GlobalLimit(IntegerLiteral(n), child) =>
          ordered(child, Some(wanted.fold(n.toLong)(_.min(n))))
        case LocalLimit(_, child)             => ordered(child, wanted)
        case Offset(IntegerLiteral(n), child) => ordered(child, wanted.map(_ + n))
        case Project(list, child) if list.forall(_.deterministic) => ordered(child, wanted)
        case sort: Sort if sort.global                            => wanted.map(_ -> sort)
        case _                                                    => None
      }
  }
}

/** The decision about a query for the first rows of an order.
  *
  * @param on
  *   the order, as SQL
  * @param declined
  *   why all columns are read at once; None if the rows are searched first
  */
final case class TopKDecision(on: String, declined: Option[Reason])
