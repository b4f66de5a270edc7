// SPDX-License-Identifier: Apache-2.0
package latebloom.statistics

import scala.collection.mutable

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types.{BinaryType, DataType, StringType, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.util.AccumulatorV2

import latebloom.cache.CachedCondition
import latebloom.line.Compat.when
import latebloom.read.task.Counter

/** Counts the rows of a scan that leaves out rows by nothing but its condition, for later plans.
  *
  * @param payload
  *   the columns from files that the scan outputs, the first ones of its batches
  */
final private[latebloom] class SizeRecorder private (found: FoundSizes, payload: StructType)
    extends Serializable {

  /** Says how many splits are the whole scan; on the driver, before it runs. */
  def expect(splits: Int): Unit = found.expect(splits)

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
    val found = new FoundSizes(Some(new FoundSizes.Total(condition, files, texts, MostSplits)))
    context.register(found)
    new SizeRecorder(found, payload)
  }

  private[statistics] def isText(of: DataType): Boolean = of match {
    case _: StringType | BinaryType => true
    case _                          => false
  }

  /** Counts the rows of a split, for one task. */
  final class Split private[SizeRecorder] (
      file: PartitionedFile,
      counted: Boolean,
      found: FoundSizes,
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

/** Brings the sizes of splits to the driver. A task that fails brings nothing, and one that is
  * repeated the same once more.
  *
  * @param total
  *   None in tasks
  */
final private class FoundSizes(@transient private val total: Option[FoundSizes.Total])
    extends AccumulatorV2[SplitSize, Seq[SplitSize]] {
  private var found = Seq.empty[SplitSize]

  def expect(splits: Int): Unit = total.foreach(_.expect(splits))

  override def isZero: Boolean = found.isEmpty

  override def copy(): FoundSizes = {
    val same = new FoundSizes(total)
    same.found = found
    same
  }

  override def reset(): Unit = found = Nil

  override def add(split: SplitSize): Unit = found = split +: found

  override def merge(other: AccumulatorV2[SplitSize, Seq[SplitSize]]): Unit =
    Option(total).flatten match {
      case Some(all) => all.add(other.value)
      case None      => found = other.value ++ found
    }

  override def value: Seq[SplitSize] = found
}

private object FoundSizes {

  /** Adds up the splits of a scan, and records their sum once it has all of them. */
  final class Total(
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
}
