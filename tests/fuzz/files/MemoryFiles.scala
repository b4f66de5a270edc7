// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import java.io.{EOFException, FileNotFoundException, InputStream}
import java.net.URI
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/** A read-only file system in memory, since a run writes thousands of damaged files a minute. */
final class MemoryFiles extends FileSystem {
  import MemoryFiles._

  override def initialize(uri: URI, conf: Configuration): Unit = {
    super.initialize(uri, conf)
    setConf(conf)
  }

  override def getScheme: String = Scheme

  override def getUri: URI = URI.create(s"$Scheme:///")

  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    new FSDataInputStream(new Bytes(path, content(path)))

  override def getFileStatus(path: Path): FileStatus =
    new FileStatus(content(path).length.toLong, false, 1, 1L << 20, 1L, path)

  override def listStatus(path: Path): Array[FileStatus] = Array(getFileStatus(path))

  override def getWorkingDirectory: Path = new Path(s"$Scheme:/")

  override def setWorkingDirectory(path: Path): Unit = ()

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = readOnly()

  override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream =
    readOnly()

  override def rename(from: Path, to: Path): Boolean = readOnly()

  override def delete(path: Path, recursive: Boolean): Boolean = readOnly()

  override def mkdirs(path: Path, permission: FsPermission): Boolean = readOnly()

  private def readOnly(): Nothing = throw new UnsupportedOperationException("read-only files")
}

object MemoryFiles {
  val Scheme = "fuzz"

  private val files = new ConcurrentHashMap[String, Array[Byte]]
  private val open = new AtomicInteger
  private val made = new AtomicLong

  /** Stores a file; returns a new path, so that no reader has cached anything for it. */
  def put(name: String, content: Array[Byte]): String = {
    val path = s"$Scheme:/${made.incrementAndGet()}/$name"
    files.put(path, content)
    path
  }

  def remove(path: String): Unit = files.remove(path)

  def length(path: String): Long = content(new Path(path)).length.toLong

  /** The number of open streams. */
  def openStreams: Int = open.get

  private def content(path: Path): Array[Byte] =
    Option(files.get(path.toString)).getOrElse(throw new FileNotFoundException(path.toString))

  final private class Bytes(path: Path, content: Array[Byte]) extends InputStream
      with Seekable
      with PositionedReadable {
    private var at = 0
    private var closed = false
    open.incrementAndGet()

    override def read(): Int =
      if (at == content.length) -1
      else {
        at += 1
        content(at - 1) & 0xff
      }

    override def read(into: Array[Byte], offset: Int, length: Int): Int = {
      val n = read(at.toLong, into, offset, length)
      at += n.max(0)
      n
    }

    override def available(): Int = content.length - at

    override def seek(to: Long): Unit = {
      if (to < 0 || to > content.length) throw new EOFException(s"cannot seek to $to in $path")
      at = to.toInt
    }

    override def getPos: Long = at.toLong

    override def seekToNewSource(target: Long): Boolean = false

    override def read(from: Long, into: Array[Byte], offset: Int, length: Int): Int =
      if (from < 0) throw new EOFException(s"cannot read at $from in $path")
      else if (length == 0) 0
      else if (from >= content.length) -1
      else {
        val n = length.min(content.length - from.toInt)
        System.arraycopy(content, from.toInt, into, offset, n)
        n
      }

    override def readFully(from: Long, into: Array[Byte], offset: Int, length: Int): Unit =
      if (from < 0 || from + length > content.length) {
        throw new EOFException(s"cannot read $length bytes at $from in $path")
      } else {
        System.arraycopy(content, from.toInt, into, offset, length)
      }

    override def readFully(from: Long, into: Array[Byte]): Unit =
      readFully(from, into, 0, into.length)

    override def close(): Unit = if (!closed) {
      closed = true
      open.decrementAndGet()
    }
  }
}
