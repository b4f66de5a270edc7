// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import java.io.Closeable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnVector

import latebloom.read.task.{Counter, Counters}
import latebloom.read.{FilteredRows, RowGroups, ScanSpec, SelectiveScan}

/** Opens the files of one scan as Spark's format does. Made on the driver, used by the tasks.
  *
  * @param offHeap
  *   whether Spark is to keep batches off the heap
  */
abstract class LateFiles(spec: ScanSpec, partitionSchema: StructType, offHeap: Boolean)
    extends Serializable {

  /** The scan of a file split, or the counter of the files that Spark's reader must read for the
    * same reason as this one.
    */
  def open(file: PartitionedFile, counters: Counters): Either[Counter, SelectiveScan]

  /** Filters what Spark's reader reads of a file that [[open]] left to it. */
  def filter(file: PartitionedFile, read: Iterator[_]): FilteredRows =
    new FilteredRows(
      new CloseableJavaIterator(read),
      spec,
      partitionVectors(file.partitionValues),
      useOffHeap
    )

  protected def scan(
      groups: RowGroups,
      payloadTypes: StructType,
      file: PartitionedFile,
      counters: Counters
  ): SelectiveScan = new SelectiveScan(
    groups,
    spec,
    payloadTypes,
    partitionVectors(file.partitionValues),
    useOffHeap,
    counters
  )

  /** Off-heap vectors outside a task would be freed by nobody, as Spark has it. */
  protected def useOffHeap: Boolean = offHeap && TaskContext.get() != null

  private def partitionVectors(values: InternalRow): Array[ColumnVector] =
    partitionSchema.fields.zipWithIndex.map { case (field, i) =>
      val v = new ConstantColumnVector(spec.options.batchRows, field.dataType)
      ColumnVectorUtils.populate(v, values, i)
      v
    }
}

/** What rows must satisfy, in the terms of Spark's data sources: for statistics and indexes.
  *
  * @param filters
  *   those that Spark pushes
  * @param keyRanges
  *   where the keys of joins lie
  */
final case class PushedFilters(filters: Seq[Filter], keyRanges: Seq[Filter])

/** A Scala iterator for Java, closed if it can be. */
final private class CloseableJavaIterator(read: Iterator[_])
    extends java.util.Iterator[Any]
    with Closeable {
  override def hasNext: Boolean = read.hasNext
  override def next(): Any = read.next()
  override def close(): Unit = read match {
    case c: Closeable => c.close()
    case _            =>
  }
}
