// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.RandomCases
import latebloom.read.io.RangeFetcher.WantedRange
import latebloom.read.task.{Counter, Counters, ScanMemory}

class FileTailSuite extends AnyFunSuite with RandomCases {
  private val file = Array.tabulate(1 << 20)(i => (i * 31 % 251).toByte)

  private class Recorded(length: Int) extends RecordedBytes(file, length, vectored = true)

  private def slow(millis: Long): StoreSpeed = {
    val speed = new StoreSpeed
    speed.observe(1000, millis * 1000000)
    speed
  }

  private def wanted(from: Int, n: Int, got: (Int, Int) => Unit): WantedRange =
    new WantedRange(
      from,
      n,
      (array, start, length) => {
        assert(array.slice(start, start + length).sameElements(file.slice(from, from + n)))
        got(from, length)
      }
    )

  private def tailOf(length: Int, speed: StoreSpeed): (FileTail, Seq[(Long, Int)]) = {
    val in = new Recorded(length)
    (FileTail.read(in, length, speed, false), in.reads.toSeq)
  }

  test("it is one request, of more bytes the longer the store takes to answer") {
    assert(tailOf(file.length, new StoreSpeed)._2 == Seq((1L << 20) - (16 << 10) -> (16 << 10)))
    // At the assumed 100 MB/s an eighth of 20 ms is 250,000 bytes.
    assert(tailOf(file.length, slow(20))._2 == Seq((1L << 20) - 250000 -> 250000))
    assert(tailOf(file.length, slow(1000))._2 == Seq((1L << 19) -> (1 << 19)))
    assert(tailOf(0, slow(1000))._1.start == 0)
  }

  test("the time of the fetch measures the store's speed") {
    val speed = new StoreSpeed
    val in = new Recorded(file.length) {
      override def readFully(offset: Long, into: Array[Byte], n: Int): Unit = {
        Thread.sleep(5)
        super.readFully(offset, into, n)
      }
    }
    FileTail.read(in, file.length, speed, false)
    assert(speed.isSlow)
  }

  test("it delivers ranges that it has whole, and copies bytes up to the end of the file") {
    forSeeds(200) { random =>
      val length = 1 + random.nextInt(40000)
      val tail = tailOf(length, new StoreSpeed)._1
      val from = random.nextInt(length)
      val n = random.nextInt(length - from + 1)
      var got = Seq.empty[(Int, Int)]
      val whole = tail.deliver(wanted(from, n, (at, bytes) => got :+= at -> bytes))
      assert(whole == (from >= length - (16 << 10)))
      assert(got == (if (whole) Seq(from -> n) else Nil))
      if (whole) {
        val into = new Array[Byte](20000)
        val copied = tail.read(from, into, 7, 10000)
        assert(copied == math.min(10000, length - from))
        assert(into.slice(7, 7 + copied).sameElements(file.slice(from, from + copied)))
      }
      assert(tail.read(length, new Array[Byte](9), 0, 9) == -1)
      assert(!tail.deliver(wanted(length - 1, 2, (_, _) => fail("beyond the end"))))
      assert(!tail.deliver(wanted(length - 1, -1, (_, _) => fail("a negative length"))))
      assert(!FileTail.NONE.deliver(wanted(from, n, (_, _) => fail("there is none"))))
    }
  }

  test("ranges within it are never fetched, nor requested ahead") {
    forSeeds(50) { random =>
      val length = 100000
      val end = FileTail.read(new Recorded(length), length, new StoreSpeed, false)
      val in = new Recorded(length) {
        override def tail: FileTail = end
      }
      val counters = new Counters
      val fetcher =
        new RangeFetcher(in, length, 0, slow(20), new ScanMemory(counters), counters)
      var got = Set.empty[(Int, Int)]
      val ranges = Seq.fill(20) {
        val from = random.nextInt(length - 1000)
        from -> (1 + random.nextInt(1000))
      }.distinct
      def all = ranges.map { case (from, n) =>
        wanted(from, n, (at, bytes) => got += at -> bytes)
      }.asJava
      if (random.nextBoolean()) {
        fetcher.prefetch(all)
        fetcher.released()
      }
      fetcher.fetch(all)
      assert(got == ranges.toSet)
      val before = ranges.filter(_._1 < length - (16 << 10))
      assert(in.reads.map(_._2).sum < before.map(_._2).sum + 1)
      assert(in.reads.forall { case (from, _) => from < length - (16 << 10) })
      assert(counters.get(Counter.REQUESTS) == in.reads.size)
      // All in memory: nothing is sent, and no row group was asked for ahead.
      val sent = in.reads.size
      val asked = counters.get(Counter.ROW_GROUPS_PREFETCHED)
      fetcher.prefetch(java.util.Collections.singletonList(
        wanted(length - 500, 100, (_, _) => fail("handed over"))
      ))
      assert(in.reads.size == sent && counters.get(Counter.ROW_GROUPS_PREFETCHED) == asked)
    }
  }

  test("metadata that is fetched later is kept, if other scans may use it") {
    for (keeps <- Seq(true, false)) {
      val end = FileTail.read(new Recorded(file.length), file.length, new StoreSpeed, keeps)
      def fetched(from: Int, n: Int, metadata: Boolean): Int = {
        val in = new Recorded(file.length) {
          override def tail: FileTail = end
        }
        val counters = new Counters
        val fetcher =
          new RangeFetcher(in, file.length, 0, new StoreSpeed, new ScanMemory(counters), counters)
        var got = 0
        val range = java.util.Collections.singletonList(wanted(from, n, (_, _) => got += 1))
        if (metadata) fetcher.fetchMetadata(range) else fetcher.fetch(range)
        assert(got == 1)
        in.reads.size
      }
      val before = end.heapBytes
      assert(fetched(1000, 100, metadata = false) == 1 && fetched(1000, 100, metadata = true) == 1)
      val again = if (keeps) 0 else 1
      assert(fetched(1000, 100, metadata = true) == again)
      assert(fetched(1020, 80, metadata = false) == again, "a part of it")
      assert(fetched(1020, 81, metadata = true) == 1 && fetched(999, 2, metadata = true) == 1)
      assert((end.heapBytes > before) == keeps)
      // No more than some megabytes of one file.
      for (from <- 0 until 300000 by 30) fetched(from, 29, metadata = true)
      assert(end.heapBytes < (9 << 20))
    }
  }
}
