// SPDX-License-Identifier: Apache-2.0
package latebloom.index

import org.apache.hadoop.conf.Configuration

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.latebloom.{LateFiles, SharedValue}

import latebloom.index.sidecar.RangeEntry.FileState

/** The files of a scan that have ranges without a row that it wants, by a skip index.
  *
  * @param run
  *   identifies the scan
  */
final private[latebloom] class IndexedFiles private (
    run: String,
    files: SharedValue[Map[String, IndexedFiles.Ranges]]
) extends Serializable {

  /** Whether a split has no such row, provided that the file is still as it was indexed; in a task.
    */
  def hasNoMatch(split: PartitionedFile, conf: Configuration): Boolean =
    files.value.get(split.toPath.toString).exists { known =>
      known.length == split.fileSize && known.modified == split.modificationTime &&
      known.cover(split.start, split.start + split.length) &&
      LateFiles.isUnchanged(run, split, conf)
    }
}

private[latebloom] object IndexedFiles {

  /** Ranges of a file in one state, in bytes, that have no row that is wanted.
    *
    * @param bounds
    *   ascending, disjoint, flattened: from, to, from, to, …
    */
  final private[index] case class Ranges(length: Long, modified: Long, bounds: Array[Long]) {

    /** Whether they contain a split. */
    def cover(start: Long, end: Long): Boolean =
      bounds.grouped(2).exists { case Array(from, to) => from <= start && end <= to }
  }

  /** @param empty
    *   ranges of files that have no row that is wanted
    */
  def of(
      run: String,
      empty: Map[FileState, Seq[(Long, Long)]],
      context: SparkContext
  ): IndexedFiles = {
    val ranges = empty.map { case (file, found) =>
      file.path -> Ranges(file.length, file.modified, merged(found).flatMap(r => Seq(r._1, r._2)))
    }
    new IndexedFiles(run, SharedValue(ranges, context))
  }

  /** Joins ranges that touch or overlap. A row group belongs to one place of a file, so that it is
    * in a range if that place is.
    */
  private[index] def merged(ranges: Seq[(Long, Long)]): Array[(Long, Long)] =
    ranges.sorted.foldLeft(List.empty[(Long, Long)]) {
      case ((from, to) :: rest, (start, end)) if start <= to => (from, to.max(end)) :: rest
      case (rest, range)                                     => range :: rest
    }.reverse.toArray
}
