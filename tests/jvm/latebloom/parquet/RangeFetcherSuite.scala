// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet

import java.io.EOFException

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.parquet.io.DelegatingSeekableInputStream
import org.scalatest.funsuite.AnyFunSuite

import latebloom.parquet.RangeFetcher.Wanted
import latebloom.read.{Counter, Counters, RandomCases}

class RangeFetcherSuite extends AnyFunSuite with RandomCases {
  private val file = Array.tabulate(10000)(i => (i * 31 % 251).toByte)

  /** A file in memory that notes each read. */
  private class Recorded(val reads: ArrayBuffer[(Long, Int)] = ArrayBuffer.empty)
      extends DelegatingSeekableInputStream(new java.io.ByteArrayInputStream(file)) {
    private var at = 0L
    override def getPos: Long = at
    override def seek(to: Long): Unit = at = to
    override def readFully(bytes: Array[Byte]): Unit = {
      reads += at -> bytes.length
      System.arraycopy(file, at.toInt, bytes, 0, bytes.length)
    }
  }

  private def fetch(
      gap: Long,
      ranges: (Long, Int)*
  ): (Seq[(Long, Int)], Seq[Seq[Byte]], Counters) = {
    val in = new Recorded
    val counters = new Counters
    val got = Array.fill[Seq[Byte]](ranges.size)(null)
    val wanted = ranges.zipWithIndex.map { case ((from, n), i) =>
      new Wanted(from, n, b => got(i) = b.array.slice(b.start, b.end).toSeq)
    }
    new RangeFetcher(in, file.length, gap, false, counters).fetch(wanted.asJava)
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
      val (reads, got, counters) = fetch(random.oneOf(0L, 30L, 5000L), ranges: _*)
      ranges.zip(got).foreach { case ((from, n), bytes) =>
        assert(bytes == file.slice(from.toInt, from.toInt + n).toSeq)
      }
      assert(counters.get(Counter.REQUESTS) == reads.size)
      assert(counters.get(Counter.BYTES_FETCHED) == reads.map(_._2.toLong).sum)
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
