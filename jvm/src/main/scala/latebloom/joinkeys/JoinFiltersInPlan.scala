// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import org.apache.spark.sql.catalyst.expressions.{And, Expression, PredicateHelper}
import org.apache.spark.sql.execution.joinkeys.KeysSubqueryExec
import org.apache.spark.sql.execution.{
  FileSourceScanExec,
  FilterExec,
  ReusedSubqueryExec,
  ScalarSubquery,
  SparkPlan,
  SubqueryExec
}

/** A subquery that gathers keys. */
private[joinkeys] object KeysSubquery {
  def unapply(keys: Expression): Option[KeysSubqueryExec] = keys match {
    case ScalarSubquery(node: KeysSubqueryExec, _)                     => Some(node)
    case ScalarSubquery(ReusedSubqueryExec(node: KeysSubqueryExec), _) => Some(node)
    case _                                                             => None
  }
}

/** Finds join filters where Spark's planner puts them: in the Filter over a scan. */
private[latebloom] object JoinFiltersInPlan extends PredicateHelper {

  /** Separates the join filters, with keys gathered by our own subquery, from the other conjuncts.
    */
  def split(conjuncts: Seq[Expression]): (Seq[JoinFilter], Seq[Expression]) = {
    val (filters, others) = conjuncts.partition(_.isInstanceOf[JoinFilter])
    (filters.collect { case f: JoinFilter => ours(f) }, others)
  }

  /** The conditions other than join filters. */
  def others(conditions: Seq[Expression]): Seq[Expression] =
    conditions.filterNot(_.isInstanceOf[JoinFilter])

  private def ours(filter: JoinFilter): JoinFilter = filter.keys match {
    case subquery @ ScalarSubquery(SubqueryExec(name, child, _), _) =>
      filter.copy(keys = subquery.withNewPlan(filter.gathered.by(name, child)))
    case _ => filter
  }

  /** Registers this plan's gathering nodes with the filters' keys. */
  def held(filters: Seq[JoinFilter]): Unit = filters.foreach { f =>
    KeysSubquery.unapply(f.keys).foreach(f.gathered.heldBy)
  }

  /** The plan without join filters, which would cost more than they save if evaluated row by row.
    * Other filters may refer to the subqueries of the removed ones.
    */
  def removed(plan: SparkPlan): SparkPlan = plan.transformUp {
    case filter @ FilterExec(condition, child) =>
      val (filters, others) = split(splitConjunctivePredicates(condition))
      if (filters.isEmpty) {
        filter
      } else {
        held(filters)
        others.reduceOption(And).fold(child)(FilterExec(_, child))
      }
    case scan: FileSourceScanExec
        if (scan.dataFilters ++ scan.partitionFilters).exists(_.isInstanceOf[JoinFilter]) =>
      held(split(scan.partitionFilters)._1)
      scan.copy(
        partitionFilters = others(scan.partitionFilters),
        dataFilters = others(scan.dataFilters)
      )
  }
}
