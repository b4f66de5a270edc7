// SPDX-License-Identifier: Apache-2.0
package latebloom.index

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.SparkContext
import org.apache.spark.sql.latebloom.LateBloomConf.IndexSettings

import latebloom.index.sidecar.RangeEntry.FileState
import latebloom.index.sidecar.Sidecar
import latebloom.line.Compat._

/** Asks the sidecars in a scan's folders which of its files have no row that it wants; on the
  * driver.
  */
private[latebloom] object SkipIndex {

  /** @param run
    *   identifies the scan
    * @param condition
    *   that a row meets which the scan returns
    * @param source
    *   how its files are read, see [[IndexSource]]
    * @param listed
    *   its files, as they were listed
    * @return
    *   None if there is nothing to leave out
    */
  def ask(
      run: String,
      condition: RangeCondition,
      source: => String,
      conf: Configuration,
      listed: => Set[FileState],
      settings: IndexSettings,
      context: SparkContext
  ): Option[IndexedFiles] = {
    val fields = condition.fields.toSet
    if (!settings.enabled || settings.folders.isEmpty || fields.isEmpty) None
    else {
      lazy val files = listed
      lazy val from = source
      def isUseful(sidecar: Sidecar) =
        sidecar.columns.asScala.exists(c => fields(c.field)) && sidecar.source == from &&
          sidecar.files.asScala.exists(files)
      val useful = for {
        folder <- settings.folders.map(new Path(_))
        status <- IndexFolders.listedLately(folder, conf)
        sidecar <- IndexFolders.get(status, conf) if isUseful(sidecar)
      } yield status.getPath -> sidecar
      val affordable = within(settings.maxBytes, useful, fields)
      val empty = affordable.flatMap { case (path, sidecar) =>
        IndexFolders.using(path)(without(condition, sidecar, files)).getOrElse(Nil)
      }
      IndexFolders.trim(settings.maxBytes)
      when(empty.nonEmpty) {
        IndexedFiles.of(run, empty.groupBy(_._1).map { case (f, of) => f -> of.map(_._2) }, context)
      }
    }
  }

  /** As many of the sidecars as may be in memory at once, always the same. */
  private def within(
      maxBytes: Long,
      sidecars: Seq[(Path, Sidecar)],
      fields: Set[String]
  ): Seq[(Path, Sidecar)] = {
    var left = maxBytes
    sidecars.filter { case (_, sidecar) =>
      val asked = sidecar.columns.asScala.zipWithIndex.filter(c => fields(c._1.field)).map(_._2)
      left -= sidecar.bytes + asked.map(sidecar.unread(_)).sum
      left >= 0
    }
  }

  /** The ranges without a row that meets the condition, of files in the state in which they were
    * listed.
    */
  private def without(
      condition: RangeCondition,
      sidecar: Sidecar,
      listed: Set[FileState]
  ): Seq[(FileState, (Long, Long))] = {
    val columns = sidecar.columns.asScala.map(_.field).zipWithIndex.toMap
    (0 until sidecar.ranges).filter { range =>
      listed(sidecar.file(range)) &&
      !condition.mayHold(columns.get(_).map(sidecar.known(_, range)))
    }.map(range => sidecar.file(range) -> (sidecar.start(range) -> sidecar.end(range)))
  }

  /** Forgets all that was read of sidecars. */
  private[latebloom] def clear(): Unit = IndexFolders.clear()
}
