// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  DynamicPruning,
  Literal,
  PlanExpression
}
import org.apache.spark.sql.execution.aggregate.HashAggregateExec
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan}

import latebloom.joinkeys.JoinFilter
import latebloom.line.Compat._
import latebloom.read.SplitAggregates.{Asked, Kind}
import latebloom.scan.{Aggregation, LateAggregateExec, LateScan}

/** The first of Spark's two aggregations, if it needs no more of the rows of a scan than counts and
  * extremes of columns.
  *
  * @param found
  *   the scan below it
  */
final private[rules] case class Aggregates private (
    aggregate: HashAggregateExec,
    found: FilteredScan
) {
  private lazy val partitions = found.scan.relation.partitionSchema

  /** The aggregation by a scan of ours; None if the plan has more between the two. */
  def over(plan: SparkPlan): Option[SparkPlan] = plan match {
    case scan: LateScan                                                              => over(scan)
    case ProjectExec(list, scan: LateScan) if list.forall(_.isInstanceOf[Attribute]) => over(scan)
    case _                                                                           => None
  }

  private def over(scan: LateScan): Option[SparkPlan] = {
    val payload = scan.output.take(scan.requiredSchema.length).map(_.exprId)
    val asked = aggregate.aggregateExpressions.map { a =>
      val (kind, column) = Aggregates.asked(a.aggregateFunction).get
      val i = column.fold(-1)(c => payload.indexOf(c.exprId))
      when(column.isEmpty || i >= 0)(new Asked(kind, i, a.aggregateFunction.children.head.dataType))
    }
    when(asked.forall(_.nonEmpty)) {
      val groups = aggregate.groupingExpressions.map(g => partitions.fieldIndex(g.name))
      val node = LateAggregateExec(
        scan,
        Aggregation(asked.flatten, groups, partitions),
        aggregate.output
      )
      node.copyTagsFrom(aggregate)
      node
    }
  }
}

private[rules] object Aggregates {

  def unapply(plan: SparkPlan): Option[Aggregates] = plan match {
    case a: HashAggregateExec if isPartial(a) =>
      a.child match {
        case FilteredScan.OrUnfiltered(found) => of(a, found)
        case _                                => None
      }
    case _ => None
  }

  private def isPartial(a: HashAggregateExec): Boolean =
    !a.isStreaming && a.aggregateExpressions.nonEmpty && a.initialInputBufferOffset == 0 &&
      a.aggregateExpressions.forall { e =>
        e.mode == Partial && !e.isDistinct && e.filter.isEmpty &&
        asked(e.aggregateFunction).nonEmpty
      }

  /** Spark counts rows from footers alone, too. */
  private def of(a: HashAggregateExec, found: FilteredScan): Option[Aggregates] = {
    val functions = a.aggregateExpressions.flatMap(e => asked(e.aggregateFunction))
    val scan = found.scan
    val ofFiles = scan.output.take(scan.requiredSchema.length)
      .filterNot(Conjuncts.isMadeByReader).map(_.exprId).toSet
    val partitions = scan.output.drop(scan.requiredSchema.length)
      .filter(c => scan.relation.partitionSchema.exists(_.name == c.name)).map(_.exprId).toSet
    // Rules of Spark that plan and share subqueries would not see those of a scan in a leaf.
    val hasSubquery = (found.conjuncts ++ scan.expressions).exists(_.exists {
      case _: PlanExpression[_] | _: DynamicPruning | _: JoinFilter => true
      case _                                                        => false
    })
    val gains = found.conjuncts.nonEmpty || functions.exists(_._2.nonEmpty)
    when(
      gains && !hasSubquery && functions.flatMap(_._2).forall(c => ofFiles(c.exprId)) &&
        a.groupingExpressions.forall {
          case c: AttributeReference => partitions(c.exprId)
          case _                     => false
        }
    )(Aggregates(a, found))
  }

  /** What is computed of which column, if it is a count or an extreme. */
  private def asked(of: AggregateFunction): Option[(Kind, Option[Attribute])] = of match {
    case Count(Seq(Literal(value, _))) if value != null => Some(Kind.COUNT -> None)
    case Count(Seq(c: AttributeReference))              => Some(Kind.COUNT -> Some(c))
    case Min(c: AttributeReference) if Aggregation.isCounted(c.dataType) =>
      Some(Kind.LEAST -> Some(c))
    case Max(c: AttributeReference) if Aggregation.isCounted(c.dataType) =>
      Some(Kind.GREATEST -> Some(c))
    case _ => None
  }
}
