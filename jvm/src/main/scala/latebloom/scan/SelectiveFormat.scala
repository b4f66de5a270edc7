// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.hadoop.conf.Configuration

import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.orc.{OrcFileFormat, OrcUtils}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetUtils}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.latebloom.FileBounds
import org.apache.spark.sql.types.DataType

import latebloom.decision.{Reason, Reasons}
import latebloom.line.Compat.when
import latebloom.tables.TableFormat

/** A file format that LateBloom reads selectively, as the driver sees it.
  *
  * @param name
  *   in the spelling of users
  * @param whyNot
  *   why LateBloom does not read it
  * @param table
  *   the table format that the files belong to
  * @param vectorized
  *   key of the conf that enables Spark's vectorised reader
  * @param nestedVectorized
  *   the same for nested columns
  */
sealed abstract private[latebloom] class SelectiveFormat(
    val name: String,
    val whyNot: Option[Reason],
    val table: Option[TableFormat],
    val vectorized: String,
    val nestedVectorized: String
) {

  /** Whether the scan can read single entries of lists and maps. */
  def readsEntries: Boolean

  /** Whether Spark reads in batches at all. */
  def isVectorized(conf: SQLConf): Boolean

  /** Whether Spark reads such a column in batches. */
  def inBatches(conf: SQLConf, dataType: DataType): Boolean

  /** Most rows of a batch. */
  def batchRows(conf: SQLConf): Int

  /** The file format that does a scan's work. */
  def late(work: ScanWork): FileFormat

  /** Reads the first values of a column in splits of a file, by its statistics. */
  def firstValues(order: FileBounds.Order, conf: Configuration): FileBounds.Read
}

private[latebloom] object SelectiveFormat {

  final private class Parquet(whyNot: Option[Reason], table: Option[TableFormat])
      extends SelectiveFormat(
        table.fold("parquet")(_.name),
        whyNot,
        table,
        SQLConf.PARQUET_VECTORIZED_READER_ENABLED.key,
        SQLConf.PARQUET_VECTORIZED_READER_NESTED_COLUMN_ENABLED.key
      ) {
    override def readsEntries: Boolean = true

    override def isVectorized(conf: SQLConf): Boolean = conf.parquetVectorizedReaderEnabled

    override def inBatches(conf: SQLConf, dataType: DataType): Boolean =
      ParquetUtils.isBatchReadSupported(conf, dataType)

    override def batchRows(conf: SQLConf): Int = conf.parquetVectorizedReaderBatchSize

    override def late(work: ScanWork): FileFormat =
      table.fold[FileFormat](new LateParquetFormat(work))(new LateTableFormat(_, work))

    override def firstValues(order: FileBounds.Order, conf: Configuration): FileBounds.Read =
      FileBounds.parquet(order, conf)
  }

  final private class Orc(whyNot: Option[Reason])
      extends SelectiveFormat(
        "orc",
        whyNot,
        None,
        SQLConf.ORC_VECTORIZED_READER_ENABLED.key,
        SQLConf.ORC_VECTORIZED_READER_NESTED_COLUMN_ENABLED.key
      ) {
    override def readsEntries: Boolean = false

    override def isVectorized(conf: SQLConf): Boolean = conf.orcVectorizedReaderEnabled

    override def inBatches(conf: SQLConf, dataType: DataType): Boolean =
      OrcUtils.supportColumnarReads(dataType, conf.orcVectorizedReaderNestedColumnEnabled)

    override def batchRows(conf: SQLConf): Int = conf.orcVectorizedReaderBatchSize

    override def late(work: ScanWork): FileFormat = new LateOrcFormat(work)

    override def firstValues(order: FileBounds.Order, conf: Configuration): FileBounds.Read =
      FileBounds.orc(order, conf)
  }

  /** The format of which `format` is an instance. */
  def of(format: FileFormat): Option[SelectiveFormat] = format match {
    case _: ParquetFileFormat =>
      Some(TableFormat.of(format) match {
        case Some(Right(table)) => new Parquet(None, Some(table))
        case Some(Left(why))    => new Parquet(Some(why), None)
        case None => new Parquet(subclass(format, classOf[ParquetFileFormat], "parquet"), None)
      })
    case _: OrcFileFormat => Some(new Orc(subclass(format, classOf[OrcFileFormat], "orc")))
    case _                => None
  }

  /** A subclass of Spark's format may interpret the files differently. */
  private def subclass(format: FileFormat, sparks: Class[_], name: String): Option[Reason] =
    when(format.getClass != sparks)(Reasons.formatSubclass(format.getClass, name))
}
