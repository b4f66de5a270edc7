// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.execution.datasources.LogicalRelation

/** The groups that a plan computes in several places, as a WITH that stands twice does. Spark
  * executes all but the last step of them once, by reusing the exchange below. A filter on a scan
  * in one of the places makes it different, so that the scan runs twice: which costs more than the
  * filter can save, since the other place needs all rows.
  */
final private[join] class SharedParts(plan: LogicalPlan) {

  /** In each element the scan, or other leaf, that the places of a part have in common. */
  private lazy val leaves: Seq[Seq[LogicalPlan]] =
    if (!readsTwice) Nil
    else {
      for {
        alike <- repeated(plan.collect { case a: Aggregate => a })(readBy)
        places <- repeated(alike)(_.canonicalized)
        leaf <- places.map(_.collectLeaves()).transpose
      } yield leaf
    }

  /** The values that are the same by `key` as another one, together with these. */
  private def repeated[A, K](values: Seq[A])(key: A => K): Seq[Seq[A]] =
    values.groupBy(key).values.filter(_.size > 1).toSeq

  /** What a plan reads. Equal plans read the same; making them comparable takes longer. */
  private def readBy(plan: LogicalPlan): Seq[Any] = plan.collectLeaves().map {
    case scan: LogicalRelation => scan.relation
    case other                 => other.getClass
  }

  /** Comparing groups takes longer than this. */
  private def readsTwice: Boolean = {
    val read = plan.collectLeaves().collect { case scan: LogicalRelation => scan.relation }
    read.distinct.size < read.size
  }

  /** The scans that have a filter in some of the places of a part, but not in all. */
  def torn(isFiltered: LogicalPlan => Boolean): Seq[LogicalPlan] =
    leaves.flatMap { leaf =>
      val filtered = leaf.filter(isFiltered)
      if (filtered.size < leaf.size) filtered else Nil
    }
}
