// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io

import java.nio.ByteBuffer
import java.util.concurrent.CompletableFuture
import java.util.function.IntFunction

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

/** The first `length` bytes of `file`, in memory; records each read. */
class RecordedBytes(file: Array[Byte], length: Int, val vectored: Boolean) extends FileBytes {
  val reads: ArrayBuffer[(Long, Int)] = ArrayBuffer.empty

  override def readFully(offset: Long, into: Array[Byte], n: Int): Unit = {
    assert(offset >= 0 && offset + n <= length)
    reads += offset -> n
    System.arraycopy(file, offset.toInt, into, 0, n)
  }

  override def asynchronous: Boolean = vectored

  override def read(
      ranges: java.util.List[FileBytes.Range],
      allocate: IntFunction[ByteBuffer]
  ): java.util.List[CompletableFuture[ByteBuffer]] =
    ranges.asScala.map { r =>
      val bytes = new Array[Byte](r.length)
      readFully(r.offset, bytes, r.length)
      // Buffers may begin anywhere in an array, or have none.
      val padded = ByteBuffer.allocateDirect(r.length + 3).position(3).slice()
      val buffer = if (r.length % 2 == 0) padded else allocate(r.length)
      assert(buffer.remaining == r.length)
      CompletableFuture.completedFuture(buffer.put(bytes).flip())
    }.asJava
}
