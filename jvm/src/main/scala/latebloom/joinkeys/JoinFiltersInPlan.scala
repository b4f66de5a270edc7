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

/** Join filters where Spark's planner has put them: in the Filter over a scan. */
private[latebloom] object JoinFiltersInPlan extends PredicateHelper {

  /** The join filters, their keys gathered by our own subquery, and the other conjuncts. */
  def split(conjuncts: Seq[Expression]): (Seq[JoinFilter], Seq[Expression]) = {
    val (filters, others) = conjuncts.partition(_.isInstanceOf[JoinFilter])
    (filters.collect { case f: JoinFilter => ours(f) }, others)
  }

  /** The conditions that are no join filters. */
  def others(conditions: Seq[Expression]): Seq[Expression] =
    conditions.filterNot(_.isInstanceOf[JoinFilter])

  private def ours(filter: JoinFilter): JoinFilter = filter.keys match {
    case subquery @ ScalarSubquery(SubqueryExec(name, child, _), _) =>
      filter.copy(keys = subquery.withNewPlan(filter.gathered.by(name, child)))
    case _ => filter
  }

  /** Tells the filters' keys which nodes of this plan gather them. */
  def held(filters: Seq[JoinFilter]): Unit = filters.foreach { f =>
    f.keys match {
      case ScalarSubquery(keys: KeysSubqueryExec, _)                     => f.gathered.heldBy(keys)
      case ScalarSubquery(ReusedSubqueryExec(keys: KeysSubqueryExec), _) =>
        f.gathered.heldBy(keys)
      case _ =>
    }
  }

  /** The plan without join filters: row by row, they would cost more than they save. Other filters
    * may refer to the keys that these have the subquery of.
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
    case scan: FileSourceScanExec if scan.dataFilters.exists(_.isInstanceOf[JoinFilter]) =>
      scan.copy(dataFilters = others(scan.dataFilters))
  }
}
