// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.catalyst.expressions.{And, Expression, PredicateHelper}
import org.apache.spark.sql.execution.joinkeys.KeysSubqueryExec
import org.apache.spark.sql.execution.{
  FileSourceScanExec,
  FilterExec,
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

  private def ours(filter: JoinFilter): JoinFilter = filter.keys match {
    case subquery @ ScalarSubquery(SubqueryExec(name, child, _), _) =>
      filter.copy(keys = subquery.withNewPlan(KeysSubqueryExec(name, child)))
    case _ => filter
  }

  /** The plan without join filters: row by row, they would cost more than they save. */
  def removed(plan: SparkPlan): SparkPlan = plan.transformUp {
    case filter @ FilterExec(condition, child) =>
      val conjuncts = splitConjunctivePredicates(condition)
      val others = conjuncts.filterNot(_.isInstanceOf[JoinFilter])
      if (others.size == conjuncts.size) filter
      else others.reduceOption(And).fold(child)(FilterExec(_, child))
    case scan: FileSourceScanExec if scan.dataFilters.exists(_.isInstanceOf[JoinFilter]) =>
      scan.copy(dataFilters = scan.dataFilters.filterNot(_.isInstanceOf[JoinFilter]))
  }
}
