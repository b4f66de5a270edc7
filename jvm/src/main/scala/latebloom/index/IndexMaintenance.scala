// SPDX-License-Identifier: Apache-2.0
package latebloom.index

import java.io.FileNotFoundException
import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import latebloom.index.sidecar.RangeEntry.FileState
import latebloom.index.sidecar.{Sidecar, SidecarWriter}
import latebloom.line.Compat._
import latebloom.read.io.UnchangedFiles

/** Lists and drops the entries in a folder. */
final private[index] class IndexMaintenance(folder: Path, conf: Configuration) {
  import IndexMaintenance._

  /** All sidecars that can be used, as they are in the store now. */
  private def sidecars: Seq[(Path, Sidecar)] = for {
    status <- IndexFolders.list(folder, conf)
    sidecar <- IndexFolders.get(status, conf)
  } yield status.getPath -> sidecar

  private def used[A](of: Seq[(Path, Sidecar)])(use: Sidecar => Seq[A]): Seq[A] =
    of.flatMap { case (path, sidecar) => IndexFolders.using(path)(use(sidecar)).getOrElse(Nil) }

  /** The files that have entries of some columns for all of their bytes.
    *
    * @param fields
    *   of the columns, see [[IndexSource.field]]
    */
  def complete(source: String, fields: Set[String]): Set[FileState] = {
    val ranges = used(sidecars) { s =>
      val has = s.source == source && fields.subsetOf(s.columns.asScala.map(_.field).toSet)
      if (has) (0 until s.ranges).map(r => s.file(r) -> (s.start(r) -> s.end(r))) else Nil
    }
    ranges.groupBy(_._1).collect {
      case (file, of) if IndexedFiles.merged(of.map(_._2)).exists { case (start, end) =>
            start <= 0 && file.length <= end
          } => file
    }.toSet
  }

  /** What a folder has of each file. */
  def list(): Seq[Entry] = {
    val run = UUID.randomUUID().toString
    val parts = used(sidecars) { s =>
      for (r <- 0 until s.ranges; c <- s.columns.asScala.indices) yield {
        val known = s.known(c, r)
        val bytes = Option(s.keys(c, r).keys).fold(0L)(_.length.toLong)
        (s.file(r), s.columns.get(c).name) -> (known.form -> bytes)
      }
    }
    parts.groupBy(_._1._1).toSeq.map { case (file, of) =>
      val columns = of.groupBy(_._1._2).toSeq.map { case (name, found) =>
        val kinds = found.map(_._2._1).distinct.sorted
        Column(name, kinds, found.map(_._2._2).sum)
      }
      val isStale = !UnchangedFiles
        .isUnchanged(run, new Path(file.path), file.length, file.modified, conf)
      Entry(file.path, columns.sortBy(_.name), isStale)
    }.sortBy(_.path)
  }

  /** Drops the entries of files below some paths that are not in one of these states; returns how
    * many files these are.
    */
  def dropStale(below: Seq[Path], now: Set[FileState]): Int =
    drop(f => !now(f) && below.exists(isBelow(f, _)))

  /** Drops all entries of files below a path; returns how many files these are. */
  def drop(below: Path): Int = {
    val qualified = below.getFileSystem(conf).makeQualified(below)
    drop(isBelow(_, qualified))
  }

  /** Deletes all sidecars of the folder, also those that cannot be used; returns how many files
    * they had entries of.
    */
  def dropAll(): Int = {
    val files = used(sidecars)(_.files.asScala.toSeq).distinct.size
    IndexFolders.delete(IndexFolders.list(folder, conf).map(_.getPath), folder, conf)
    files
  }

  /** Writes what is kept of a sidecar before it deletes it: where that fails, both stay as they
    * are.
    */
  private def drop(isDropped: FileState => Boolean): Int = {
    val affected = sidecars.filter(_._2.files.asScala.exists(isDropped))
    val dropped = affected.flatMap(_._2.files.asScala.filter(isDropped)).distinct.size
    affected.foreach { case (path, sidecar) =>
      rest(sidecar, isDropped).foreach(IndexFolders.write(_, folder, conf))
      IndexFolders.delete(Seq(path), folder, conf)
    }
    dropped
  }

  /** A sidecar of the entries that are not dropped; None if there are none, or none to be had since
    * the sidecar is damaged or gone.
    */
  private def rest(sidecar: Sidecar, isDropped: FileState => Boolean): Option[Array[Byte]] =
    try {
      val kept = (0 until sidecar.ranges).filterNot(r => isDropped(sidecar.file(r)))
        .map(sidecar.entry(_))
      when(kept.nonEmpty)(SidecarWriter.write(sidecar.source, sidecar.columns, kept.asJava))
    } catch { case _: Sidecar.Unusable | _: FileNotFoundException => None }
}

private[index] object IndexMaintenance {

  /** What is known of a file.
    *
    * @param isStale
    *   whether the file is gone, or is not as it was when it was indexed
    */
  final case class Entry(path: String, columns: Seq[Column], isStale: Boolean)

  /** @param kinds
    *   forms of [[latebloom.bloom.KeyFilter]], of all ranges of the file
    */
  final case class Column(name: String, kinds: Seq[String], bytes: Long)

  private def isBelow(file: FileState, path: Path): Boolean = {
    val root = path.toString.stripSuffix("/")
    file.path == root || file.path.startsWith(root + "/")
  }
}
