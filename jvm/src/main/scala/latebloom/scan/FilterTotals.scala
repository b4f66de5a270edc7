// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.util.AccumulatorV2

/** What the filters of a scan have done, over all tasks: for each filter, in the order of the
  * scan's work, how many rows reached it, how many passed, and the nanoseconds that it took.
  */
final private[scan] class FilterTotals extends AccumulatorV2[Array[Long], Array[Long]] {
  private var totals = Array.empty[Long]

  override def isZero: Boolean = totals.forall(_ == 0)

  override def copy(): FilterTotals = {
    val same = new FilterTotals
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
