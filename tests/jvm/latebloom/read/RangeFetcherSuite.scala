// SPDX-License-Identifier: Apache-2.0
package latebloom.read

import java.io.EOFException
import java.nio.ByteBuffer
import java.util.concurrent.CompletableFuture

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.RangeFetcher.Wanted

class RangeFetcherSuite extends AnyFunSuite with RandomCases {
  private val file = Array.tabulate(10000)(i => (i * 31 % 251).toByte)

  /** A file in memory that notes each read. */
  private class Recorded(val vectored: Boolean) extends FileBytes {
    val reads: ArrayBuffer[(Long, Int)] = ArrayBuffer.empty

    override def readFully(offset: Long, into: Array[Byte]): Unit = {
      reads += offset -> into.length
      System.arraycopy(file, offset.toInt, into, 0, into.length)
    }

    override def read(
        ranges: java.util.List[FileBytes.Range]
    ): java.util.List[CompletableFuture[ByteBuffer]] =
      ranges.asScala.map { r =>
        val bytes = new Array[Byte](r.length)
        readFully(r.offset, bytes)
        // Buffers may begin anywhere in an array, or have none.
        val padded = ByteBuffer.allocateDirect(r.length + 3).position(3).slice().put(bytes).flip()
        CompletableFuture.completedFuture(if (r.length % 2 == 0) padded else ByteBuffer.wrap(bytes))
      }.asJava
  }

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
      new Wanted(
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

  test("each receiver gets its own bytes, in whatever order and overlap they were asked for") {
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
    for (range <- Seq(9990L -> 11, -1L -> 5, 20000L -> 1)) {
      val e = intercept[EOFException](fetch(0, 0L -> 10, range))
      assert(e.getMessage.contains("of a file of 10000 bytes"))
    }
  }
}
