// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import java.io.Closeable

import org.apache.hadoop.conf.Configuration

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.latebloom.ParquetFiles
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

import latebloom.read.{BatchSource, Counter, Counters, ScanSpec}

/** Parquet, read selectively: what the scan node's inner scan has for a file format, so that
  * splits, buckets, partition values and metadata columns stay Spark's business.
  *
  * @param spec
  *   what to filter and what to output
  * @param keyRanges
  *   where the keys of joins lie
  * @param metrics
  *   the node's metrics by [[Counter.key]]
  */
final class LateParquetFormat(
    spec: ScanSpec,
    keyRanges: Seq[Filter],
    metrics: Map[String, SQLMetric]
) extends ParquetFileFormat {

  override def buildReaderWithPartitionValues(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration
  ): PartitionedFile => Iterator[InternalRow] = {
    // Spark's own reader of all columns, for the files that are not ours to read; asking for it also
    // puts what Spark's readers look up into the configuration.
    val sparkRead = super.buildReaderWithPartitionValues(
      session,
      dataSchema,
      partitionSchema,
      spec.columns,
      filters,
      options,
      hadoopConf
    )
    val files =
      ParquetFiles(session, spec, partitionSchema, filters, keyRanges, options, hadoopConf)
    val returningBatch = options.get(FileFormat.OPTION_RETURNING_BATCH).contains("true")
    val scanMetrics = metrics
    file => {
      val counters = new Counters
      val drain = () => counters.drainTo((c: Counter, n: Long) => scanMetrics(c.key).add(n))
      val source: BatchSource = files.open(file, counters) match {
        case Right(scan)  => scan
        case Left(reason) =>
          counters.add(reason, 1)
          files.filter(file, sparkRead(file))
      }
      val batches = new BatchIterator(source, drain)
      val result = if (returningBatch) batches else new RowIterator(batches)
      result.asInstanceOf[Iterator[InternalRow]]
    }
  }
}

/** Batches of a file; metrics are brought up to date with each. */
final private class BatchIterator(source: BatchSource, drain: () => Unit)
    extends Iterator[ColumnarBatch]
    with Closeable {
  private var batch: ColumnarBatch = _
  private var ended = false

  override def hasNext: Boolean = {
    if (batch == null && !ended) {
      batch = source.next()
      ended = batch == null
      drain()
    }
    batch != null
  }

  override def next(): ColumnarBatch = {
    if (!hasNext) throw new NoSuchElementException("the scan has ended")
    val b = batch
    batch = null
    b
  }

  override def close(): Unit = {
    ended = true
    source.close()
    drain()
  }
}

/** The rows of batches, for a plan that takes rows; a row is valid until the next. */
final private class RowIterator(batches: Iterator[ColumnarBatch] with Closeable)
    extends Iterator[InternalRow]
    with Closeable {
  private var rows: java.util.Iterator[InternalRow] = java.util.Collections.emptyIterator()

  override def hasNext: Boolean = {
    while (!rows.hasNext && batches.hasNext) rows = batches.next().rowIterator()
    rows.hasNext
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("the scan has ended")
    rows.next()
  }

  override def close(): Unit = batches.close()
}
