// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io

import java.nio.ByteBuffer
import java.util.concurrent.CompletableFuture
import java.util.function.IntFunction
import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.io.RangeFetcher.{Receiver, WantedRange}
import latebloom.read.io.Requests.Request

class SilentStoreSuite extends AnyFunSuite {

  /** Answers only the first request. */
  private object Silent extends FileBytes {
    override def readFully(offset: Long, into: Array[Byte], length: Int): Unit = fail("not asked")
    override def vectored: Boolean = true
    override def asynchronous: Boolean = true
    override def read(
        ranges: JList[FileBytes.Range],
        allocate: IntFunction[ByteBuffer]
    ): JList[CompletableFuture[ByteBuffer]] =
      ranges.asScala.map { range =>
        val answer = new CompletableFuture[ByteBuffer]
        if (range.offset == 0) answer.complete(allocate(range.length))
        answer
      }.asJava
  }

  test("answers fetched ahead share one deadline, except those that have arrived") {
    var received = 0L
    val receiver: Receiver = (_, _, length) => received += length
    val wanted = Seq(0L, 100L, 200L, 300L).map(new WantedRange(_, 10, receiver))
    val requests = wanted.map(w => new Request(w.offset, w.offset + 10, Seq(w).asJava))
    // Were the time counted from each question for an answer, this would take a quarter of an hour.
    val ahead = Prefetch.send(Silent, requests.asJava, System.nanoTime() - 1)
    assert(wanted.map(ahead.deliver) == Seq(true, false, false, false))
    assert(received == 10)
    assert(wanted.map(ahead.deliver) == Seq(true, false, false, false))
  }
}
