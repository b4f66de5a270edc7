// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer

import scala.util.Random

import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.apache.parquet.io.api.Binary
import org.scalatest.funsuite.AnyFunSuite

/** Compares the filter with parquet-java's own and with the theory of Bloom filters. */
class BlockedBloomFilterSuite extends AnyFunSuite with Probing {

  private def filled(bytes: Int, hashes: Seq[Long]): BlockedBloomFilter = {
    val filter = BlockedBloomFilter.ofSize(bytes)
    hashes.foreach(filter.add)
    filter
  }

  private def filtered(filter: BlockedBloomFilter, hashes: Seq[Long]): Seq[Int] = {
    val out = new Array[Int](hashes.size)
    out.take(filter.filter(hashes.toArray, hashes.size, out)).toSeq
  }

  private def same(a: BlockedBloomFilter, b: BlockedBloomFilter): Unit =
    assert(a.toBytes.sameElements(b.toBytes))

  private def randomHashes(random: Random, n: Int) = Seq.fill(n)(random.nextLong())

  /** The expected false positive rate of a filter with so many keys: keys fall into blocks at
    * random, and a key passes a block of i others if it hits one of their bits in each of eight
    * words.
    */
  private def expectedRate(keys: Int, bytes: Int): Double = {
    val mean = keys / (bytes / 32.0)
    val most = (mean + 20 * math.sqrt(mean) + 20).toInt
    val chances = (1 to most).scanLeft(math.exp(-mean))((p, i) => p * mean / i)
    chances.zipWithIndex.map { case (p, i) =>
      p * math.pow(1 - math.pow(31.0 / 32, i), 8)
    }.sum
  }

  test("its bytes and answers are those of parquet-java's filter") {
    forSeeds(30) { random =>
      val bytes = 32 << random.nextInt(12)
      val hashes = randomHashes(random, random.oneOf(0, 1, 20, 1000))
      val ours = filled(bytes, hashes)
      val theirs = new BlockSplitBloomFilter(bytes)
      hashes.foreach(theirs.insertHash)
      val written = new ByteArrayOutputStream
      theirs.writeTo(written)
      assert(ours.toBytes.sameElements(written.toByteArray))
      same(BlockedBloomFilter.of(ByteBuffer.wrap(written.toByteArray)), ours)
      val asked = random.shuffle(hashes ++ randomHashes(random, 500))
      asked.foreach(h => assert(ours.mightContain(h) == theirs.findHash(h)))
      assert(filtered(ours, asked) == asked.indices.filter(i => theirs.findHash(asked(i))))
    }
  }

  test("strings are hashed as Parquet hashes them") {
    val theirs = new BlockSplitBloomFilter(32)
    forSeeds(100) { random =>
      val Packed(values, _) = Packed(Seq.fill(5)(randomBytes(random, 60)), random)
      values.foreach { v =>
        assert(KeyHash.of(v, 0, v.length) == theirs.hash(Binary.fromConstantByteArray(v)))
        val shifted = Array[Byte](1, 2, 3) ++ v ++ Array[Byte](4)
        assert(KeyHash.of(shifted, 3, v.length) == KeyHash.of(v, 0, v.length))
      }
    }
  }

  test(
    "no key is lost, whether added, joined or folded, and filtering keys asks for the range too"
  ) {
    forSeeds(50) { random =>
      val bytes = 32 << random.nextInt(10)
      val scale = random.oneOf(100L, 1L << 32, Long.MaxValue)
      val keys = Seq.fill(400)((random.nextDouble() * scale).toLong - scale / 2)
      val (left, right) = keys.map(KeyHash.of).splitAt(random.nextInt(400))
      val filter = filled(bytes, left)
      filter.or(filled(bytes, right))
      val small = filter.foldedTo(32 << random.nextInt(Integer.numberOfTrailingZeros(bytes) - 4))
      for (f <- Seq(filter, small)) {
        keys.foreach(k => assert(f.mightContain(KeyHash.of(k))))
        val (lo, hi) = (keys.min, keys.max)
        val asked = random.shuffle(keys ++ randomHashes(random, 200)).toArray
        val out = new Array[Int](asked.length)
        def check(min: Long, max: Long): Unit =
          assert(
            out.take(f.filterKeys(asked, asked.length, min, max - min, out)).toSeq ==
              asked.indices.filter { i =>
                min <= asked(i) && asked(i) <= max && f.mightContain(KeyHash.of(asked(i)))
              }
          )
        check(lo, hi)
        check(keys.head, keys.head)
        check(Long.MinValue, Long.MaxValue)
      }
    }
  }

  test("a folded filter equals one built in that size, and a merged one has all keys") {
    forSeeds(50) { random =>
      val hashes = randomHashes(random, 300)
      val (large, small) = (32 << (5 + random.nextInt(5)), 32 << random.nextInt(6))
      same(filled(large, hashes).foldedTo(small), filled(small, hashes))
      val (left, right) = hashes.splitAt(100)
      val joined = filled(large, left)
      joined.or(filled(large, right))
      same(joined, filled(large, hashes))
    }
    intercept[IllegalArgumentException](filled(64, Nil).or(filled(32, Nil)))
  }

  test("the false positive rate is the theoretical one, for any pattern of keys") {
    val others: Seq[(String, Long => Long)] = Seq(
      ("random", i => new Random(i).nextLong()),
      ("one after the other", i => i),
      ("every hundredth", i => i * 100),
      ("multiples of a power of two", i => i << 20),
      ("in the high bits alone", i => i << 44),
      ("doubles", i => latebloom.read.predicate.OrderedKeys.of(i / 4.0)),
      ("day and number", i => (i >> 6 << 32) | (i & 63))
    )
    for ((name, key) <- others; bits <- Seq(8, 10, 20)) {
      val bytes = 1 << 16
      val keys = bytes * 8 / bits
      val probes = 200000
      val filter = filled(bytes, (0 until keys).map(i => KeyHash.of(key(i))))
      val passed = (keys until keys + probes).count(i => filter.mightContain(KeyHash.of(key(i))))
      val expected = expectedRate(keys, bytes) * probes
      // Five standard deviations, of the probes and of how the keys fell.
      val allowed = 5 * math.sqrt(expected) + 0.1 * expected + 3
      assert(math.abs(passed - expected) < allowed, s"$name, $bits bits: $passed of $expected")
    }
  }

  test("the chosen size has the documented false positive rate and bits per key") {
    for (keys <- Seq(1L, 25L, 26L, 1000L, 200000L, 3000000L)) {
      val bytes = BlockedBloomFilter.bytesFor(keys, 8 << 20)
      assert(Integer.bitCount(bytes) == 1 && bytes * 8L >= keys * 10)
      assert(bytes == 32 || bytes * 8L < keys * 20)
    }
    assert(BlockedBloomFilter.bytesFor(100000000L, 8 << 20) == 8 << 20)
    assert(BlockedBloomFilter.bytesFor(100000000L, (8 << 20) - 1) == 4 << 20)
    assert(expectedRate((1 << 23) / 10, 1 << 20) < 0.013)
    assert(expectedRate((1 << 23) / 20, 1 << 20) < 0.0005)
  }

  test("the number of keys is estimated within a few percent") {
    for (n <- Seq(0, 1, 100, 5000, 50000)) {
      val filter = filled(1 << 16, randomHashes(new Random(n), n))
      assert(math.abs(filter.estimatedKeys - n) <= 0.03 * n + 1)
    }
    val full = BlockedBloomFilter.of(ByteBuffer.wrap(Array.fill[Byte](64)(-1)))
    assert(full.estimatedKeys == Long.MaxValue)
  }

  test("sizes that no filter has are refused") {
    for (n <- Seq(0, 31, 33, 48, 96)) {
      intercept[IllegalArgumentException](BlockedBloomFilter.of(ByteBuffer.allocate(n)))
    }
    for (n <- Seq(0, 31, -1, (128 << 20) + 1)) {
      intercept[IllegalArgumentException](BlockedBloomFilter.ofSize(n))
    }
    assert(BlockedBloomFilter.ofSize(100).bytes == 64)
  }
}
