// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import java.util.Comparator

import scala.concurrent.duration._
import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.orc._
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.PrimitiveType

import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.util.ThreadUtils

import latebloom.line.Compat._

/** The value of a column that comes first in a file split, by its statistics. Good enough to begin
  * with the most promising split, and not to leave one out: writers' statistics are not checked.
  */
sealed trait FirstValue

object FirstValue {

  /** A null, in an order that begins with nulls. */
  case object Null extends FirstValue

  /** @param comparator
    *   of the column's values in files
    */
  final case class Known(value: Any, comparator: Comparator[Any]) extends FirstValue

  case object Unknown extends FirstValue
}

/** Reads the statistics of many files on the driver. */
object FileBounds {
  import FirstValue._

  /** Most file splits whose footers are read, and the time to spend on them. */
  private val MostFiles = 2000
  private val MostTime = 500.millis
  private val Threads = 8

  /** Which value of a column comes first.
    *
    * @param name
    *   as in the files
    */
  final case class Order(name: String, descending: Boolean, nullsFirst: Boolean) {
    def first(a: FirstValue, b: FirstValue): Int = (a, b) match {
      case (Known(x, c), Known(y, _)) => if (descending) c.compare(y, x) else c.compare(x, y)
      case _                          => rank(a).compare(rank(b))
    }

    private def rank(value: FirstValue) = value match {
      case Null        => 0
      case Known(_, _) => 1
      case Unknown     => 2
    }
  }

  /** Numbers partitions of files, those first whose statistics promise the first rows; None if the
    * statistics do not say.
    *
    * @param read
    *   reads the first value of a file split
    */
  def bestFirst(
      partitions: Seq[Seq[PartitionedFile]],
      order: Order,
      read: PartitionedFile => FirstValue
  ): Option[Seq[Int]] = {
    val files = for ((p, i) <- partitions.zipWithIndex; file <- p) yield (i, file)
    val deadline = MostTime.fromNow
    when(partitions.size > 1 && files.size <= MostFiles) {
      val firsts = ThreadUtils.parmap(files, "latebloom-footers", Threads) { case (i, file) =>
        i -> (if (deadline.isOverdue()) Unknown else Try(read(file)).getOrElse(Unknown))
      }
      Try {
        val byFirst = firsts.groupBy(_._1).map { case (i, ofPartition) =>
          i -> ofPartition.map(_._2).reduce((a, b) => if (order.first(a, b) <= 0) a else b)
        }
        partitions.indices.sortWith { (a, b) =>
          order.first(byFirst.getOrElse(a, Unknown), byFirst.getOrElse(b, Unknown)) < 0
        }
      }.toOption
    }.flatten
  }

  /** The first value of a split of a Parquet file. */
  def parquet(order: Order, conf: Configuration)(file: PartitionedFile): FirstValue = {
    val status = new FileStatus(file.fileSize, false, 0, 0, file.modificationTime, file.toPath)
    val options = HadoopReadOptions.builder(conf, file.toPath)
      .withRange(file.start, file.start + file.length).build()
    val reader = ParquetFileReader.open(HadoopInputFile.fromStatus(status, conf), options)
    try {
      val field = reader.getFileMetaData.getSchema.getFields.asScala.find(_.getName == order.name)
      val chunks = reader.getRowGroups.asScala.flatMap(_.getColumns.asScala)
        .filter(_.getPath.toArray.toSeq == Seq(order.name))
      val stats = chunks.map(_.getStatistics).filter(s => s != null && !s.isEmpty)
      field match {
        case Some(column: PrimitiveType) if stats.nonEmpty =>
          val comparator = column.comparator[Any]()
          val values = stats.filter(_.hasNonNullValue)
            .map(s => if (order.descending) s.genericGetMax else s.genericGetMin)
          first(order, stats.exists(_.getNumNulls > 0), values.toSeq, comparator)
        case _ => Unknown
      }
    } finally reader.close()
  }

  /** The first value of an ORC file. */
  def orc(order: Order, conf: Configuration)(file: PartitionedFile): FirstValue = {
    val reader = OrcFile.createReader(file.toPath, OrcFile.readerOptions(conf))
    try {
      val schema = reader.getSchema
      val i = schema.getFieldNames.indexOf(order.name)
      if (i < 0) Unknown
      else {
        val stats = reader.getStatistics()(schema.getChildren.get(i).getId)
        val value = ends(stats).flatMap { case (least, greatest) =>
          Option(if (order.descending) greatest else least)
        }
        val comparator: Comparator[Any] =
          (a: Any, b: Any) => a.asInstanceOf[Comparable[Any]].compareTo(b)
        first(order, stats.hasNull, value.toSeq, comparator)
      }
    } finally reader.close()
  }

  private def first(
      order: Order,
      hasNulls: Boolean,
      values: Seq[Any],
      comparator: Comparator[Any]
  ): FirstValue =
    if (order.nullsFirst && hasNulls) Null
    else if (values.isEmpty) Unknown
    else Known(
      values.reduce((a, b) =>
        if ((comparator.compare(a, b) < 0) == order.descending) b else a
      ),
      comparator
    )

  /** The least and the greatest value by a column's statistics; either may be null. */
  private def ends(stats: ColumnStatistics): Option[(Any, Any)] =
    if (stats.getNumberOfValues == 0) None
    else stats match {
      case s: IntegerColumnStatistics   => Some((s.getMinimum, s.getMaximum))
      case s: DoubleColumnStatistics    => Some((s.getMinimum, s.getMaximum))
      case s: StringColumnStatistics    => Some((s.getMinimum, s.getMaximum))
      case s: DecimalColumnStatistics   => Some((s.getMinimum, s.getMaximum))
      case s: DateColumnStatistics      => Some((s.getMinimumDayOfEpoch, s.getMaximumDayOfEpoch))
      case s: TimestampColumnStatistics => Some((s.getMinimum, s.getMaximum))
      case _                            => None
    }
}
