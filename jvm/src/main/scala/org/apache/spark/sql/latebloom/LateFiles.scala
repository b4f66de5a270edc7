// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import java.io.Closeable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{DataSourceStrategy, PartitionedFile}
import org.apache.spark.sql.sources.{Filter, In}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnVector

import latebloom.read.ScanFilter.KeySource
import latebloom.read.io.{MetadataCache, UnchangedFiles}
import latebloom.read.selection.LiveRows
import latebloom.read.task.{Counter, Counters}
import latebloom.read.{FilteredRows, RowGroups, ScanSpec, SelectiveScan}

/** Opens the files of one scan as Spark's format does. Created on the driver, used by tasks.
  *
  * @param offHeap
  *   whether Spark keeps batches off the heap
  */
abstract class LateFiles(spec: ScanSpec, partitionSchema: StructType, offHeap: Boolean)
    extends Serializable {

  /** The scan of a file split, or, if Spark's reader must read the file, the counter of that
    * reason.
    */
  def open(file: PartitionedFile, counters: Counters): Either[Counter, SelectiveScan]

  /** Hadoop's configuration, in tasks. */
  def configuration: Configuration

  /** Filters the rows of a file that [[open]] left to Spark's reader. */
  def filter(file: PartitionedFile, read: Iterator[_]): FilteredRows =
    new FilteredRows(
      new CloseableJavaIterator(read),
      spec,
      partitionVectors(file.partitionValues),
      useOffHeap
    )

  protected def scan(
      groups: RowGroups,
      live: LiveRows,
      payloadTypes: StructType,
      file: PartitionedFile,
      counters: Counters
  ): SelectiveScan = new SelectiveScan(
    groups,
    live,
    spec,
    payloadTypes,
    partitionVectors(file.partitionValues),
    useOffHeap,
    counters
  )

  /** Nobody would free off-heap vectors outside a task, as in Spark. */
  protected def useOffHeap: Boolean = offHeap && TaskContext.get() != null

  private def partitionVectors(values: InternalRow): Array[ColumnVector] =
    PartitionVectors(partitionSchema, values, spec.options.batchRows)
}

object LateFiles {

  /** The rows of a file that its table still has; called by tasks, with Hadoop's configuration. */
  type Live = (PartitionedFile, Configuration) => LiveRows

  /** A file in the state in which the driver listed it. */
  private[latebloom] def listed(file: PartitionedFile): FileStatus =
    new FileStatus(file.fileSize, false, 0, 0, file.modificationTime, file.toPath)

  /** Under what a task of a scan caches the metadata of a file in a state. */
  private[latebloom] def metadataKey(spec: ScanSpec, file: FileStatus): MetadataCache.Key =
    MetadataCache.Key.of(run(spec.id), file, spec.options.metadataBytes > 0)

  /** Whether a file is still as the driver listed it; in a task, asked once for each run of a scan.
    */
  def isUnchanged(scan: String, file: PartitionedFile, conf: Configuration): Boolean =
    UnchangedFiles.isUnchanged(run(scan), file.toPath, file.fileSize, file.modificationTime, conf)

  /** A scan may run again over files that have changed: a run is one of its stages. */
  private def run(scan: String) = s"$scan ${Option(TaskContext.get()).fold(-1)(_.stageId())}"

  /** Of files that no table deletes rows of. */
  val allLive: Live = (_, _) => LiveRows.ALL
}

/** Conditions on the rows as filters of Spark's data sources, for statistics and indexes.
  *
  * @param filters
  *   the filters that Spark pushes down
  * @param keys
  *   the keys of joins
  */
final case class PushedFilters(filters: Seq[Filter], keys: Seq[KeysToPush])

object PushedFilters {

  /** A condition as a filter of Spark's data sources, if it can be one. */
  def of(condition: Expression): Option[Filter] =
    DataSourceStrategy.translateFilter(condition, supportNestedPredicatePushdown = true)
}

/** The keys of a join on one column, or a bound of its values, which a scan may have only after it
  * began.
  */
trait KeysToPush extends Serializable {

  /** The keys as statistics can be compared with them, if they are known by now. */
  def now: Option[PushedKeys]
}

/** The keys of a join on one column, of which every row that matters has one, or the bound that no
  * row that matters exceeds. Must not be logged.
  *
  * @param bounds
  *   that no key is less than the least, and none greater than the greatest; either is left out if
  *   it cannot be compared with statistics, or is no bound
  * @param listed
  *   that the column has one of the keys, if they are few
  * @param source
  *   the keys themselves
  */
final case class PushedKeys(bounds: Seq[Filter], listed: Option[In], source: KeySource) {

  /** Whether all keys can be compared with statistics. */
  def areComparable: Boolean = bounds.size == 2
}

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
