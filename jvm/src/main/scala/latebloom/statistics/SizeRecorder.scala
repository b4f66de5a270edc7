// SPDX-License-Identifier: Apache-2.0
package latebloom.statistics

import scala.collection.mutable

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types.{BinaryType, DataType, StringType, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import latebloom.cache.{CachedCondition, FoundByTasks}
import latebloom.line.Compat.when
import latebloom.read.task.Counter

/** Counts the rows of a scan that leaves out rows by nothing but its condition, for later plans.
  *
  * @param payload
  *   the columns from files that the scan outputs, the first ones of its batches
  */
final private[latebloom] class SizeRecorder private (
    @transient private val total: SizesOfSplits,
    found: FoundByTasks[SplitSize],
    payload: StructType
) extends Serializable {

  /** Says how many splits are the whole scan; on the driver, before it runs. */
  def expect(splits: Int): Unit = total.expect(splits)

  /** Records that a split was not opened, since none of its rows meets the condition; in a task. */
  def leaveOut(file: PartitionedFile): Unit =
    found.add(SplitSize(SplitSize.id(file), 0, None, 0, Nil))

  /** Begins to count the rows of a split; in a task.
    *
    * @param counted
    *   whether the rows that are dropped will be counted
    */
  def begin(file: PartitionedFile, counted: Boolean): SizeRecorder.Split =
    new SizeRecorder.Split(file, counted, found, payload)
}

private[latebloom] object SizeRecorder {

  /** Rows whose texts are measured, of each split. */
  private val Measured = 100

  /** Of a scan with more splits nothing is recorded. */
  private val MostSplits = 20000

  /** The counters of rows that a scan does not return. */
  private val Dropped = Set(
    Counter.ROWS_PRUNED,
    Counter.ROWS_REMEMBERED,
    Counter.ROWS_FILTERED,
    Counter.ROWS_DELETED
  )

  def apply(
      condition: CachedCondition,
      files: ScanSizes.Files,
      payload: StructType,
      context: SparkContext
  ): SizeRecorder = {
    val texts = payload.filter(c => isText(c.dataType)).map(_.name)
    val total = new SizesOfSplits(condition, files, texts, MostSplits)
    new SizeRecorder(total, FoundByTasks(context)(total.add(_)), payload)
  }

  private[statistics] def isText(of: DataType): Boolean = of match {
    case _: StringType | BinaryType => true
    case _                          => false
  }

  /** Counts the rows of a split, for one task. */
  final class Split private[SizeRecorder] (
      file: PartitionedFile,
      counted: Boolean,
      found: FoundByTasks[SplitSize],
      payload: StructType
  ) {
    private val texts = payload.indices.filter(c => isText(payload(c).dataType))
    private var bytes = Seq.empty[Long]
    private var measured = 0
    private var rows = 0L
    private var dropped = 0L
    private var deleted = 0L
    private var isWhole = counted

    /** Counts what the scan counts. */
    def count(counter: Counter, n: Long): Unit = {
      if (Dropped(counter)) dropped += n
      if (counter == Counter.ROWS_DELETED) deleted += n
      // Their rows are not counted.
      if (counter == Counter.ROW_GROUPS_PRUNED) isWhole = false
    }

    /** Counts a batch, before its rows are used. */
    def add(batch: ColumnarBatch): Unit = {
      if (rows == 0 && texts.nonEmpty) {
        measured = batch.numRows.min(Measured)
        bytes = texts.map(c => length(batch.column(c), measured))
      }
      rows += batch.numRows
    }

    private def length(column: ColumnVector, rows: Int): Long = {
      val isBinary = column.dataType == BinaryType
      (0 until rows).iterator.filterNot(column.isNullAt).map { row =>
        if (isBinary) column.getBinary(row).length else column.getUTF8String(row).numBytes
      }.map(_.toLong).sum
    }

    /** Records the split, whose last batch has been counted. */
    def end(): Unit = found.add(
      SplitSize(
        SplitSize.id(file),
        rows + deleted,
        when(isWhole)(rows + dropped),
        measured,
        bytes
      )
    )
  }
}

/** What a split of a file returned.
  *
  * @param of
  *   its rows; None if it was not opened
  * @param measured
  *   rows whose texts were measured
  * @param bytes
  *   of these, column by column
  */
final private case class SplitSize(
    split: SplitSize.Id,
    rows: Long,
    of: Option[Long],
    measured: Long,
    bytes: Seq[Long]
)

private object SplitSize {

  /** Path and first byte. */
  type Id = (String, Long)

  def id(file: PartitionedFile): Id = (file.toPath.toString, file.start)
}

/** Adds up the splits of a scan, and records their sum once it has all of them. */
final private class SizesOfSplits(
    condition: CachedCondition,
    files: ScanSizes.Files,
    texts: Seq[String],
    most: Int
) {
  private val found = mutable.HashMap.empty[SplitSize.Id, SplitSize]
  private var expected = Int.MaxValue

  def expect(splits: Int): Unit = synchronized {
    expected = if (splits <= most) splits else Int.MaxValue
    if (splits == 0) end()
  }

  def add(splits: Seq[SplitSize]): Unit = synchronized {
    if (expected < Int.MaxValue) {
      splits.foreach(s => found.put(s.split, s))
      if (found.size == expected) end()
    }
  }

  private def end(): Unit = {
    val all = found.values.toSeq
    val of = when(all.forall(_.of.nonEmpty))(all.flatMap(_.of).sum)
    val measured = all.map(_.measured).sum
    val widths = texts.zipWithIndex.collect {
      case (name, c) if measured > 0 =>
        name -> all.map(_.bytes.lift(c).getOrElse(0L)).sum / measured.toDouble
    }
    ScanSizes.add(condition, files, ScanSize(all.map(_.rows).sum, of, widths.toMap))
    found.clear()
    expected = Int.MaxValue
  }
}
