// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import scala.collection.mutable

import org.apache.spark.SparkContext
import org.apache.spark.util.AccumulatorV2

import latebloom.line.Compat._
import latebloom.read.ScanSpec
import latebloom.read.task.{ColumnCounts, Counters}
import latebloom.statistics.SizeRecorder

/** What a filter has done, over all tasks.
  *
  * @param rows
  *   that reached it
  */
final case class FilterOutcome(text: String, rows: Long, passed: Long, nanos: Long)

/** What was read of a column, over all tasks.
  *
  * @param name
  *   with the structs around it
  * @param readAs
  *   `filter`, `payload` or `filter and payload`
  * @param decoded
  *   values, each as often as it was decoded; the entries of a list or map
  * @param bySpark
  *   values that Spark's own reader decoded
  * @param skipped
  *   values of rows in row groups that were opened, which nothing decoded
  */
final case class ColumnOutcome(
    name: String,
    readAs: String,
    decoded: Long,
    bySpark: Long,
    skipped: Long
)

/** What the parts of a scan have done, over all tasks.
  *
  * @param filters
  *   as [[Counters.takeFilters]] gives it
  * @param columns
  *   as [[latebloom.read.task.ColumnCounts.take]] gives it
  * @param sizes
  *   counts the rows for later plans; None if they depend on more than the conditions
  */
final private[scan] class ScanTotals private (
    val filters: Sums,
    val columns: Sums,
    val sizes: Option[SizeRecorder]
) extends Serializable {

  /** The same, which also counts rows for later plans. */
  def recording(sizes: Option[SizeRecorder]): ScanTotals = new ScanTotals(filters, columns, sizes)

  /** Adds what a task has counted since it was asked last. */
  def add(counters: Counters): Unit = {
    filters.add(counters.takeFilters())
    columns.add(counters.columns().take())
  }

  /** What each filter has done so far, in the order in which the query names them. */
  def filterOutcomes(spec: ScanSpec): Seq[FilterOutcome] = {
    val of = filters.value.grouped(3).toSeq
    spec.filters.ordered.asScala.toSeq.zipAll(of, null, Array(0L, 0L, 0L)).collect {
      case (filter, Array(rows, passed, nanos)) if filter != null =>
        FilterOutcome(filter.text, rows, passed, nanos)
    }
  }

  /** What was read so far of each column: of the output, in its order, then of the others. */
  def columnOutcomes(spec: ScanSpec): Seq[ColumnOutcome] = {
    val filtered = mutable.HashSet.empty[Int]
    spec.filters.ordered.asScala.foreach(_.forEachColumn { c =>
      filtered.add(c)
      ()
    })
    def readAs(column: Int) = Seq(
      when(filtered(column))("filter"),
      when(column < spec.payload)("payload")
    ).flatten.mkString(" and ")
    columns.value.grouped(ColumnCounts.NUMBERS).toSeq.zipWithIndex.collect {
      // Others are for Spark's own reader of a file that it has to read.
      case (Array(decoded, bySpark, skipped), c) if readAs(c).nonEmpty =>
        val last = c == ColumnCounts.MOST_COLUMNS - 1 && spec.columnCount > c + 1
        val name = if (last) s"${spec.columnCount - c} more columns" else spec.nameOf(c)
        ColumnOutcome(name, readAs(c), decoded, bySpark, skipped)
    }
  }
}

private[scan] object ScanTotals {
  def of(context: SparkContext): ScanTotals = {
    val totals = new ScanTotals(new Sums, new Sums, None)
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
