// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  HyperLogLogPlusPlus,
  Max,
  Min,
  Partial
}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.{
  BaseAggregateExec,
  HashAggregateExec,
  SortAggregateExec
}
import org.apache.spark.sql.types._

import latebloom.join.EqualValues
import latebloom.line.Collations
import latebloom.line.Compat.when

/** Matches an aggregation for which a row that equals another one changes nothing, over a scan of
  * one column of files: DISTINCT, GROUP BY without aggregates, the first step of `count(DISTINCT)`,
  * `min` and `max`, `approx_count_distinct`. The values in the dictionaries of row groups can stand
  * for their rows.
  *
  * Which one of equal but different values it returns must not depend on how often and in which
  * order they come: a dictionary may be sorted. So extremes of such values are left out
  * ([[EqualValues]]), and columns of texts with a collation. Groups of floating-point values stay,
  * since Spark normalises these first, and it groups in a hash map only by texts whose equal ones
  * are identical.
  */
private[rules] object DistinctInput {

  def unapply(plan: SparkPlan): Option[FilteredScan] = plan match {
    case a: BaseAggregateExec if ignoresDuplicates(a) =>
      a.child match {
        case FilteredScan.OrUnfiltered(found) => when(readsOneColumn(a, found))(found)
        case _                                => None
      }
    case _ => None
  }

  private def ignoresDuplicates(a: BaseAggregateExec): Boolean = {
    val isPlain = a match {
      case h: HashAggregateExec => !h.isStreaming
      case s: SortAggregateExec => !s.isStreaming && s.groupingExpressions.isEmpty
      case _                    => false
    }
    isPlain && a.aggregateExpressions.forall(ignoresDuplicates) &&
    a.expressions.forall(_.deterministic)
  }

  private def ignoresDuplicates(e: AggregateExpression): Boolean =
    e.mode == Partial && (e.aggregateFunction match {
      case m @ (_: Min | _: Max)  => EqualValues.areSame(m.dataType)
      case _: HyperLogLogPlusPlus => true
      case _                      => false
    })

  private def readsOneColumn(a: BaseAggregateExec, found: FilteredScan): Boolean = {
    val scan = found.scan
    val (ofFiles, others) = scan.output.splitAt(scan.requiredSchema.length)
    val partitions = others.filter(c => scan.relation.partitionSchema.exists(_.name == c.name))
    val asked = found.above match {
      case Some(project) if project.projectList.forall(_.deterministic) =>
        AttributeSet(project.projectList.flatMap(_.references))
      case Some(_) => AttributeSet.empty
      case None    =>
        AttributeSet((a.groupingExpressions ++ a.aggregateExpressions).flatMap(_.references))
    }
    val (columns, constants) = asked.toSeq.partition(AttributeSet(ofFiles).contains)
    found.below.isEmpty && columns.size == 1 && columns.forall(isDistinguished) &&
    constants.forall(AttributeSet(partitions).contains)
  }

  /** Whether equal values are the same ones, but for zeros and NaN. */
  private def isDistinguished(column: Attribute): Boolean =
    !Conjuncts.isMadeByReader(column) && (column.dataType match {
      case s: StringType                           => Collations.isBinary(s)
      case BooleanType | BinaryType | DateType     => true
      case TimestampType | TimestampNTZType        => true
      case _: NumericType | _: DayTimeIntervalType => true
      case _: YearMonthIntervalType                => true
      case _                                       => false
    })
}
