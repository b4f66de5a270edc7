// SPDX-License-Identifier: Apache-2.0
package latebloom.index

import java.io.FileNotFoundException
import java.util.UUID

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.slf4j.LoggerFactory

import latebloom.index.sidecar.Sidecar
import latebloom.line.Compat._
import latebloom.read.task.RecentlyUsed

/** The sidecars in folders, on the driver: listed seldom, read once, and kept for all sessions as
  * long as there is room. A sidecar never changes under one name. Thread safe.
  */
private[index] object IndexFolders {
  private val Prefix = "latebloom-"
  private val Suffix = ".skipindex"
  private val Unfinished = "._latebloom-"

  /** A sidecar that another application has added is found after so long; one that is gone may be
    * used as long, since it says nothing of a file that has changed.
    */
  private val ListedForNanos = 10L * 1000 * 1000 * 1000

  final private case class Listed(at: Long, files: Seq[FileStatus])

  private val listings = RecentlyUsed.map[Path, Listed](256)
  private val warned = RecentlyUsed.map[String, String](1024)

  /** Those that cannot be used. */
  private val refused = RecentlyUsed.map[Path, String](1024)

  /** In the order of their last use. */
  private val sidecars = new java.util.LinkedHashMap[Path, Sidecar](16, 0.75f, true)

  private val log = LoggerFactory.getLogger("latebloom.index")

  /** The sidecars of a folder as its store has them, by name; none of a folder that is not there.
    */
  def list(folder: Path, conf: Configuration): Seq[FileStatus] = {
    val found =
      try folder.getFileSystem(conf).listStatus(folder).toSeq
      catch { case _: FileNotFoundException => Nil }
    val files = found.filter(f => f.isFile && isSidecar(f.getPath)).sortBy(_.getPath.getName)
    listings.put(folder, Listed(System.nanoTime(), files))
    files
  }

  /** As [[list]], as it was a few seconds ago; none of a folder that cannot be listed. */
  def listedLately(folder: Path, conf: Configuration): Seq[FileStatus] =
    Option(listings.get(folder)).filter(System.nanoTime() - _.at < ListedForNanos) match {
      case Some(known) => known.files
      case None        =>
        try list(folder, conf)
        catch {
          case NonFatal(e) =>
            warn(folder.toString, s"The skip indexes in $folder are not used", e)
            listings.put(folder, Listed(System.nanoTime(), Nil))
            Nil
        }
    }

  private def isSidecar(path: Path) =
    path.getName.startsWith(Prefix) && path.getName.endsWith(Suffix)

  /** A sidecar, with its header; None if it cannot be used. */
  def get(file: FileStatus, conf: Configuration): Option[Sidecar] = {
    val path = file.getPath
    if (refused.containsKey(path)) None
    else
      known(path).orElse {
        using(path) {
          val read = Sidecar.open(path.getFileSystem(conf), file)
          sidecars.synchronized(sidecars.put(path, read))
          read
        }
      }
  }

  private def known(path: Path) = sidecars.synchronized(Option(sidecars.get(path)))

  /** Uses a sidecar; None if it turns out to be damaged or gone, which is reported once. */
  def using[A](path: Path)(use: => A): Option[A] =
    try Some(use)
    catch {
      case NonFatal(e) =>
        sidecars.synchronized(sidecars.remove(path))
        if (e.isInstanceOf[Sidecar.Unusable]) refused.put(path, "")
        warn(path.toString, s"A skip index is not used: $path", e)
        None
    }

  private def warn(about: String, what: String, cause: Throwable): Unit =
    if (warned.put(about, "") == null) log.warn(s"$what: ${cause.getMessage}")

  /** Forgets the sidecars that were used least recently, beyond a limit. */
  def trim(maxBytes: Long): Unit = sidecars.synchronized {
    var bytes = sidecars.values.asScala.map(_.bytes).sum
    val eldest = sidecars.values.iterator
    while (bytes > maxBytes && eldest.hasNext) {
      bytes -= eldest.next().bytes
      eldest.remove()
    }
  }

  /** About how many bytes of heap they take. */
  def bytes: Long = sidecars.synchronized(sidecars.values.asScala.map(_.bytes).sum)

  /** Adds a sidecar to a folder, whole or not at all. */
  def write(bytes: Array[Byte], folder: Path, conf: Configuration): Unit = {
    val store = folder.getFileSystem(conf)
    store.mkdirs(folder)
    val id = UUID.randomUUID()
    val unfinished = new Path(folder, s"$Unfinished$id")
    try {
      val out = store.create(unfinished, false)
      try out.write(bytes)
      finally out.close()
      val finished = new Path(folder, s"$Prefix$id$Suffix")
      if (!store.rename(unfinished, finished))
        throw new java.io.IOException(s"$unfinished could not be renamed to $finished")
    } catch {
      case e: Throwable =>
        try store.delete(unfinished, false)
        catch { case NonFatal(other) => e.addSuppressed(other) }
        throw e
    } finally listings.remove(folder)
  }

  /** Deletes sidecars of a folder. */
  def delete(files: Seq[Path], folder: Path, conf: Configuration): Unit = {
    val store = folder.getFileSystem(conf)
    files.foreach { f =>
      store.delete(f, false)
      sidecars.synchronized(sidecars.remove(f))
      refused.remove(f)
    }
    listings.remove(folder)
  }

  /** Forgets all that was read, and which folders were listed. */
  def clear(): Unit = {
    listings.clear()
    refused.clear()
    warned.clear()
    sidecars.synchronized(sidecars.clear())
  }

  private[index] def cached: mutable.Buffer[Path] =
    sidecars.synchronized(sidecars.keySet.asScala.toBuffer)
}
