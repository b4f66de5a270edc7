// SPDX-License-Identifier: Apache-2.0
package latebloom.toprows

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{FileSourceScanExec, FilterExec, ProjectExec, SparkPlan}

/** Finds what a search for first rows adds to a scan where Spark's planner puts it: in the Filter
  * and the Project over the scan.
  */
private[latebloom] object TopRowsInPlan extends PredicateHelper {

  /** Separates the conditions of searches from the other conjuncts. */
  def split(conjuncts: Seq[Expression]): (Seq[TopRowsCondition], Seq[Expression]) = (
    conjuncts.collect { case c: TopRowsCondition => c },
    others(conjuncts)
  )

  /** The conditions other than those of searches. */
  def others(conditions: Seq[Expression]): Seq[Expression] =
    conditions.filterNot(_.isInstanceOf[TopRowsCondition])

  /** Whether the places of rows are asked for. */
  def asksPlace(list: Seq[Expression]): Boolean = list.exists(_.exists(_.isInstanceOf[RowPlace]))

  /** The list with the columns of a scan in place of what they stand for. */
  def placed(list: Seq[NamedExpression], by: RowPlace => Expression): Seq[NamedExpression] =
    list.map(_.transform { case place: RowPlace => by(place) }.asInstanceOf[NamedExpression])

  /** The plan for a scan that is not ours: without the conditions, and with no place of any row. */
  def removed(plan: SparkPlan): SparkPlan = plan.transformUp {
    case filter @ FilterExec(condition, child) =>
      val (ours, others) = split(splitConjunctivePredicates(condition))
      if (ours.isEmpty) filter else others.reduceOption(And).fold(child)(FilterExec(_, child))
    case project @ ProjectExec(list, child) if asksPlace(list) =>
      ProjectExec(placed(list, place => Literal(null, place.dataType)), child)
    case scan: FileSourceScanExec if split(scan.dataFilters)._1.nonEmpty =>
      scan.copy(dataFilters = others(scan.dataFilters))
  }
}
