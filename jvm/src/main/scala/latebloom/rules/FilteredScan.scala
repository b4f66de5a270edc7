// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import org.apache.spark.sql.catalyst.expressions.{And, Expression, PredicateHelper}
import org.apache.spark.sql.execution._

import latebloom.joinkeys.JoinFilter

/** The shape in which Spark plans a filtered scan of files: `[Project] Filter… [Project]
  * FileSourceScan`. The lower Project only builds the `_metadata` struct. There is no Filter if
  * keys of a join filter nothing but partitions.
  *
  * @param root
  *   the uppermost of the nodes
  * @param above
  *   the Project over the Filters
  * @param conjuncts
  *   the conditions of all Filters, in order of evaluation
  * @param below
  *   the Project between the Filters and the scan
  */
final private[rules] case class FilteredScan(
    root: SparkPlan,
    above: Option[ProjectExec],
    conjuncts: Seq[Expression],
    below: Option[ProjectExec],
    scan: FileSourceScanExec
)

private[rules] object FilteredScan extends PredicateHelper {

  /** A scan whose rows are all wanted, below an optional Project. */
  object Unfiltered {
    def unapply(plan: SparkPlan): Option[FilteredScan] = plan match {
      case project @ ProjectExec(list, Scan(scan)) if list.forall(_.deterministic) =>
        Some(FilteredScan(project, Some(project), Nil, None, scan))
      case Scan(scan) => Some(FilteredScan(scan, None, Nil, None, scan))
      case _          => None
    }
  }

  /** A scan with a filter or without. */
  object OrUnfiltered {
    def unapply(plan: SparkPlan): Option[FilteredScan] =
      FilteredScan.unapply(plan).orElse(Unfiltered.unapply(plan))
  }

  def unapply(plan: SparkPlan): Option[FilteredScan] = plan match {
    case project @ ProjectExec(_, filter: FilterExec) =>
      filters(filter).map(_.copy(root = project, above = Some(project)))
    case filter: FilterExec                                      => filters(filter)
    case project @ ProjectExec(_, Scan(scan)) if hasKeysOf(scan) =>
      Some(FilteredScan(project, Some(project), Nil, None, scan))
    case Scan(scan) if hasKeysOf(scan) => Some(FilteredScan(scan, None, Nil, None, scan))
    case _                             => None
  }

  /** Whether keys of a join filter the partitions. */
  private def hasKeysOf(scan: FileSourceScanExec) =
    scan.partitionFilters.exists(_.isInstanceOf[JoinFilter])

  private def filters(filter: FilterExec): Option[FilteredScan] = {
    val own = splitConjunctivePredicates(filter.condition)
    filter.child match {
      case inner: FilterExec =>
        filters(inner).map(f => f.copy(root = filter, conjuncts = f.conjuncts ++ own))
      case project @ ProjectExec(list, Scan(scan)) if list.forall(_.deterministic) =>
        Some(FilteredScan(filter, None, own, Some(project), scan))
      case Scan(scan) => Some(FilteredScan(filter, None, own, None, scan))
      case _          => None
    }
  }

  /** Matches a scan that is Spark's own node, not a subclass of it. */
  object Scan {
    def unapply(plan: SparkPlan): Option[FileSourceScanExec] = plan match {
      case scan: FileSourceScanExec if scan.getClass == classOf[FileSourceScanExec] => Some(scan)
      case _                                                                        => None
    }
  }

  /** A Filter with these conjuncts, or just `child` without any. */
  def filter(conjuncts: Seq[Expression], child: SparkPlan): SparkPlan =
    conjuncts.reduceOption(And).fold(child)(FilterExec(_, child))
}
