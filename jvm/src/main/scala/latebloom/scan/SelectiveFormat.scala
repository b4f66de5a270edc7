// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.orc.{OrcFileFormat, OrcUtils}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetUtils}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.latebloom.KeysToPush
import org.apache.spark.sql.types.DataType

import latebloom.read.ScanSpec

/** A file format that LateBloom reads selectively, as the driver sees it.
  *
  * @param name
  *   in the spelling of users
  * @param sparks
  *   Spark's format
  * @param vectorized
  *   key of the conf that enables Spark's vectorised reader
  * @param nestedVectorized
  *   the same for nested columns
  */
sealed abstract private[latebloom] class SelectiveFormat(
    val name: String,
    sparks: Class[_ <: FileFormat],
    val vectorized: String,
    val nestedVectorized: String
) {

  /** Whether the scan can read single entries of lists and maps. */
  def readsEntries: Boolean

  /** Whether `format` is Spark's own class, not a subclass of it. */
  def isExactly(format: FileFormat): Boolean = format.getClass == sparks

  /** Whether Spark reads in batches at all. */
  def isVectorized(conf: SQLConf): Boolean

  /** Whether Spark reads such a column in batches. */
  def inBatches(conf: SQLConf, dataType: DataType): Boolean

  /** Most rows of a batch. */
  def batchRows(conf: SQLConf): Int

  /** The file format that does the work of `spec`. */
  def late(spec: ScanSpec, keys: Seq[KeysToPush], metrics: Map[String, SQLMetric]): FileFormat
}

private[latebloom] object SelectiveFormat {

  private object Parquet
      extends SelectiveFormat(
        "parquet",
        classOf[ParquetFileFormat],
        SQLConf.PARQUET_VECTORIZED_READER_ENABLED.key,
        SQLConf.PARQUET_VECTORIZED_READER_NESTED_COLUMN_ENABLED.key
      ) {
    override def readsEntries: Boolean = true

    override def isVectorized(conf: SQLConf): Boolean = conf.parquetVectorizedReaderEnabled

    override def inBatches(conf: SQLConf, dataType: DataType): Boolean =
      ParquetUtils.isBatchReadSupported(conf, dataType)

    override def batchRows(conf: SQLConf): Int = conf.parquetVectorizedReaderBatchSize

    override def late(
        spec: ScanSpec,
        keys: Seq[KeysToPush],
        metrics: Map[String, SQLMetric]
    ): FileFormat = new LateParquetFormat(spec, keys, metrics)
  }

  private object Orc
      extends SelectiveFormat(
        "orc",
        classOf[OrcFileFormat],
        SQLConf.ORC_VECTORIZED_READER_ENABLED.key,
        SQLConf.ORC_VECTORIZED_READER_NESTED_COLUMN_ENABLED.key
      ) {
    override def readsEntries: Boolean = false

    override def isVectorized(conf: SQLConf): Boolean = conf.orcVectorizedReaderEnabled

    override def inBatches(conf: SQLConf, dataType: DataType): Boolean =
      OrcUtils.supportColumnarReads(dataType, conf.orcVectorizedReaderNestedColumnEnabled)

    override def batchRows(conf: SQLConf): Int = conf.orcVectorizedReaderBatchSize

    override def late(
        spec: ScanSpec,
        keys: Seq[KeysToPush],
        metrics: Map[String, SQLMetric]
    ): FileFormat = new LateOrcFormat(spec, keys, metrics)
  }

  /** The format of which `format` is an instance. */
  def of(format: FileFormat): Option[SelectiveFormat] = format match {
    case _: ParquetFileFormat => Some(Parquet)
    case _: OrcFileFormat     => Some(Orc)
    case _                    => None
  }

  def isRead(format: FileFormat): Boolean = of(format).exists(_.isExactly(format))
}
