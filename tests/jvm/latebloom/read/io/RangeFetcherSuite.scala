// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io

import java.io.EOFException
import java.nio.ByteBuffer
import java.util.concurrent.CompletableFuture
import java.util.function.IntFunction

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.RandomCases
import latebloom.read.io.RangeFetcher.WantedRange
import latebloom.read.task.{Counter, Counters, ScanMemory}

class RangeFetcherSuite extends AnyFunSuite with RandomCases {
  private val file = Array.tabulate(10000)(i => (i * 31 % 251).toByte)

  private class Recorded(vectored: Boolean) extends RecordedBytes(file, file.length, vectored)

  private def fetch(
      gap: Long,
      ranges: (Long, Int)*
  ): (Seq[(Long, Int)], Seq[Seq[Byte]], Counters) = fetch(gap, vectored = false, ranges: _*)

  private def fetch(
      gap: Long,
      vectored: Boolean,
      ranges: (Long, Int)*
  ): (Seq[(Long, Int)], Seq[Seq[Byte]], Counters) = {
    val in = new Recorded(vectored)
    val counters = new Counters
    val got = Array.fill[Seq[Byte]](ranges.size)(null)
    val wanted = ranges.zipWithIndex.map { case ((from, n), i) =>
      new WantedRange(
        from,
        n,
        (array, start, length) => got(i) = array.slice(start, start + length).toSeq
      )
    }
    val memory = new ScanMemory(counters)
    new RangeFetcher(in, file.length, gap, new StoreSpeed, memory, counters).fetch(wanted.asJava)
    (in.reads.toSeq, got.toSeq, counters)
  }

  test("ranges within the gap are one request, others are not") {
    assert(fetch(10, 100L -> 50, 160L -> 10)._1 == Seq(100L -> 70))
    assert(fetch(9, 100L -> 50, 160L -> 10)._1 == Seq(100L -> 50, 160L -> 10))
    assert(fetch(0, 100L -> 50, 150L -> 10)._1 == Seq(100L -> 60))
  }

  test("each receiver gets its own bytes, in any order and overlap of the ranges") {
    forSeeds(200) { random =>
      val ranges = Seq.fill(1 + random.nextInt(20)) {
        val from = random.nextInt(9000)
        from.toLong -> random.nextInt(1000)
      }
      val (reads, got, counters) =
        fetch(random.oneOf(0L, 30L, 5000L), random.nextBoolean(), ranges: _*)
      ranges.zip(got).foreach { case ((from, n), bytes) =>
        assert(bytes == file.slice(from.toInt, from.toInt + n).toSeq)
      }
      assert(counters.get(Counter.REQUESTS) == reads.size)
      assert(counters.get(Counter.BYTES_FETCHED) == reads.map(_._2.toLong).sum)
      assert(counters.get(Counter.PEAK_MEMORY) == counters.get(Counter.BYTES_FETCHED))
      assert(reads.sortBy(_._1).sliding(2).forall {
        case Seq((a, n), (b, _)) => a + n <= b
        case _                   => true
      })
    }
  }

  test("a range outside the file names its place and fetches nothing") {
    val wrapping = Seq(Long.MaxValue -> 5, (Long.MaxValue - 3) -> 5, 5L -> -1)
    for (range <- Seq(9990L -> 11, -1L -> 5, 20000L -> 1) ++ wrapping) {
      val e = intercept[EOFException](fetch(0, 0L -> 10, range))
      assert(e.getMessage.contains("of a file of 10000 bytes"))
    }
  }

  // ---- ahead

  /** What is asked for ahead of a file that answers slowly. */
  private class Ahead(in: FileBytes, latencyMicros: Long = 5000) {
    private val speed = new StoreSpeed
    speed.observe(1000, latencyMicros * 1000)
    val counters = new Counters
    val fetcher =
      new RangeFetcher(in, file.length, 10, speed, new ScanMemory(counters), counters)

    def prefetch(ranges: (Long, Int)*): Unit =
      fetcher.prefetch(
        ranges.map { case (from, n) =>
          new WantedRange(from, n, (_, _, _) => fail("fetched"))
        }.asJava
      )

    def fetch(ranges: (Long, Int)*): Unit = {
      var got = 0
      fetcher.fetch(ranges.map { case (from, n) =>
        new WantedRange(
          from,
          n,
          (array, start, length) => {
            val bytes = array.slice(start, start + length)
            assert(bytes.sameElements(file.slice(from.toInt, from.toInt + n)))
            got += 1
          }
        )
      }.asJava)
      assert(got == ranges.size)
    }
  }

  test("ranges fetched ahead are not fetched again, and count once") {
    forSeeds(100) { random =>
      val in = new Recorded(vectored = true)
      val ahead = new Ahead(in)
      val chunks =
        Seq.tabulate(1 + random.nextInt(4))(c => c * 2000L -> (100 + random.nextInt(900)))
      assert(ahead.fetcher.mayPrefetch)
      ahead.prefetch(chunks: _*)
      assert(!ahead.fetcher.mayPrefetch)
      // Of the row group before.
      ahead.fetch(9000L -> 50)
      ahead.fetcher.released()
      val parts = chunks.flatMap { case (from, n) =>
        Seq.fill(random.nextInt(3)) {
          val skip = random.nextInt(n)
          (from + skip) -> random.nextInt(n - skip)
        }
      }
      ahead.fetch((9500L -> 20) +: chunks.head +: parts: _*)
      assert(in.reads == chunks ++ Seq(9000L -> 50, 9500L -> 20))
      assert(ahead.counters.get(Counter.REQUESTS) == in.reads.size)
      assert(ahead.counters.get(Counter.BYTES_FETCHED) == in.reads.map(_._2.toLong).sum)
      assert(ahead.counters.get(Counter.ROW_GROUPS_PREFETCHED) == 1)
    }
  }

  test("each row group has its own prefetch, one after the other") {
    val in = new Recorded(vectored = true)
    val ahead = new Ahead(in)
    for (group <- 0 until 8) {
      ahead.fetch(group * 1000L -> 100)
      ahead.prefetch((group + 1) * 1000L -> 100)
      ahead.fetcher.released()
    }
    assert(in.reads == (0 to 8).map(_ * 1000L -> 100))
  }

  test("a skipped row group leaves nothing to the next one") {
    val in = new Recorded(vectored = true)
    val ahead = new Ahead(in)
    ahead.prefetch(100L -> 50)
    ahead.fetcher.released()
    ahead.fetcher.released()
    ahead.fetch(100L -> 50)
    assert(in.reads == Seq(100L -> 50, 100L -> 50))
  }

  test("a failed prefetch is tried again, and only then is an error") {
    val broken = CompletableFuture.failedFuture[ByteBuffer](new EOFException("ahead"))
    val short = CompletableFuture.completedFuture(ByteBuffer.allocate(10))
    for {
      answer <- Seq(() => Some(broken), () => Some(short), () => throw new EOFException("at once"))
      again <- Seq(true, false)
    } {
      val in = new Recorded(vectored = true) {
        override def readFully(offset: Long, into: Array[Byte], length: Int): Unit =
          if (again) super.readFully(offset, into, length)
          else throw new EOFException("on purpose")

        override def read(
            ranges: java.util.List[FileBytes.Range],
            allocate: IntFunction[ByteBuffer]
        ): java.util.List[CompletableFuture[ByteBuffer]] =
          ranges.asScala.flatMap(_ => answer()).asJava
      }
      val ahead = new Ahead(in)
      ahead.prefetch(100L -> 50)
      ahead.fetcher.released()
      if (again) {
        ahead.fetch(100L -> 50)
        ahead.fetch(120L -> 10)
        assert(in.reads == Seq(100L -> 50, 120L -> 10))
      } else {
        assert(intercept[EOFException](ahead.fetch(100L -> 50)).getMessage == "on purpose")
      }
    }
    // Outside of the file: an error for who fetches it.
    new Ahead(new Recorded(vectored = true)).prefetch(9990L -> 11)
  }

  test("a fast store, or one without asynchronous reads, is not read ahead") {
    assert(!new Ahead(new Recorded(vectored = true), 50).fetcher.mayPrefetch)
    assert(!new Ahead(new Recorded(vectored = false)).fetcher.mayPrefetch)
  }
}
