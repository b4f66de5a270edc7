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
import org.apache.parquet.hadoop.metadata.BlockMetaData
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

  /** Reads the first values of splits of one file, in their order. */
  type Read = Seq[PartitionedFile] => Seq[FirstValue]

  /** Numbers partitions of files, those first whose statistics promise the first rows; None if the
    * statistics do not say.
    */
  def bestFirst(
      partitions: Seq[Seq[PartitionedFile]],
      order: Order,
      read: Read
  ): Option[Seq[Int]] = {
    val splits = for ((p, i) <- partitions.zipWithIndex; split <- p) yield (i, split)
    val files = splits.groupBy(_._2.filePath).values.toSeq
    val deadline = MostTime.fromNow
    when(partitions.size > 1 && files.size <= MostFiles) {
      val firsts = ThreadUtils.parmap(files, "latebloom-footers", Threads) { ofFile =>
        val values =
          if (deadline.isOverdue()) Nil else Try(read(ofFile.map(_._2))).getOrElse(Nil)
        ofFile.map(_._1).zipAll(values, -1, Unknown)
      }
      Try {
        val byFirst = firsts.flatten.groupBy(_._1).map { case (i, ofPartition) =>
          i -> ofPartition.map(_._2).reduce((a, b) => if (order.first(a, b) <= 0) a else b)
        }
        partitions.indices.sortWith { (a, b) =>
          order.first(byFirst.getOrElse(a, Unknown), byFirst.getOrElse(b, Unknown)) < 0
        }
      }.toOption
    }.flatten
  }

  /** The first values of splits of a Parquet file. A row group belongs to the split that has its
    * middle.
    */
  def parquet(order: Order, conf: Configuration)(splits: Seq[PartitionedFile]): Seq[FirstValue] = {
    val file = splits.head
    val status = new FileStatus(file.fileSize, false, 0, 0, file.modificationTime, file.toPath)
    val options = HadoopReadOptions.builder(conf, file.toPath).build()
    val reader = ParquetFileReader.open(HadoopInputFile.fromStatus(status, conf), options)
    try {
      val field = reader.getFileMetaData.getSchema.getFields.asScala.find(_.getName == order.name)
      field match {
        case Some(column: PrimitiveType) =>
          val groups = reader.getRowGroups.asScala.toSeq
          splits.map { split =>
            val own = groups.filter { g =>
              val middle = g.getStartingPos + g.getCompressedSize / 2
              split.start <= middle && middle < split.start + split.length
            }
            parquet(order, column, own)
          }
        case _ => splits.map(_ => Unknown)
      }
    } finally reader.close()
  }

  private def parquet(order: Order, column: PrimitiveType, groups: Seq[BlockMetaData]) = {
    val stats = groups.flatMap(_.getColumns.asScala.find(_.getPath.toDotString == order.name))
      .map(_.getStatistics).filter(s => s != null && !s.isEmpty)
    val values = stats.filter(_.hasNonNullValue)
      .map(s => if (order.descending) s.genericGetMax else s.genericGetMin)
    first(order, stats.exists(_.getNumNulls > 0), values, column.comparator[Any]())
  }

  /** The first value of an ORC file, for all of its splits. */
  def orc(order: Order, conf: Configuration)(splits: Seq[PartitionedFile]): Seq[FirstValue] = {
    val reader = OrcFile.createReader(splits.head.toPath, OrcFile.readerOptions(conf))
    try {
      val schema = reader.getSchema
      val i = schema.getFieldNames.indexOf(order.name)
      val value =
        if (i < 0) Unknown else orc(order, reader.getStatistics()(schema.getChildren.get(i).getId))
      splits.map(_ => value)
    } finally reader.close()
  }

  private def orc(order: Order, stats: ColumnStatistics): FirstValue = {
    val value = ends(stats).flatMap { case (least, greatest) =>
      Option(if (order.descending) greatest else least)
    }
    val comparator: Comparator[Any] =
      (a: Any, b: Any) => a.asInstanceOf[Comparable[Any]].compareTo(b)
    first(order, stats.hasNull, value.toSeq, comparator)
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
