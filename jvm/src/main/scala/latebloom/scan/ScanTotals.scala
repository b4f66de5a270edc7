// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.SparkContext
import org.apache.spark.util.AccumulatorV2

import latebloom.read.task.Counters

/** What the parts of a scan have done, over all tasks.
  *
  * @param filters
  *   as [[Counters.takeFilters]] gives it
  * @param columns
  *   as [[latebloom.read.task.ColumnCounts.take]] gives it
  */
final private[scan] class ScanTotals private (val filters: Sums, val columns: Sums)
    extends Serializable {

  /** Adds what a task has counted since it was asked last. */
  def add(counters: Counters): Unit = {
    filters.add(counters.takeFilters())
    columns.add(counters.columns().take())
  }
}

private[scan] object ScanTotals {
  def of(context: SparkContext): ScanTotals = {
    val totals = new ScanTotals(new Sums, new Sums)
    context.register(totals.filters)
    context.register(totals.columns)
    totals
  }
}

/** Sums arrays place by place; a shorter one has zeros at its end. */
final private[scan] class Sums extends AccumulatorV2[Array[Long], Array[Long]] {
  private var totals = Array.empty[Long]

  override def isZero: Boolean = totals.forall(_ == 0)

  override def copy(): Sums = {
    val same = new Sums
    same.totals = totals.clone()
    same
  }

  override def reset(): Unit = totals = Array.empty

  override def add(more: Array[Long]): Unit = {
    if (more.length > totals.length) totals = totals.padTo(more.length, 0L)
    more.indices.foreach(i => totals(i) += more(i))
  }

  override def merge(other: AccumulatorV2[Array[Long], Array[Long]]): Unit = add(other.value)

  override def value: Array[Long] = totals
}
