// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom

import latebloom.line.Compat._
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** Keys gathered by several collectors against the set of them. */
class KeyCollectorSuite extends AnyFunSuite with Probing {
  import KeyDomain._

  /** Collects each part on its own, then merges them in some order, some of them serialised. */
  private def merged[K](domain: KeyDomain, limits: KeyLimits, parts: Seq[Seq[K]], random: Random)(
      add: (KeyCollector, K) => Unit
  ): KeyCollector = {
    def sent(c: KeyCollector) =
      if (random.nextBoolean()) KeyCollector.deserialize(c.serialize()) else c
    val collectors = parts.map { part =>
      val c = new KeyCollector(domain, limits)
      part.foreach(add(c, _))
      sent(c)
    }
    random.shuffle(collectors).reduce { (a, b) =>
      a.merge(b)
      sent(a)
    }
  }

  private def parts[K](random: Random)(key: => K): Seq[Seq[K]] =
    Seq.fill(1 + random.nextInt(4))(Seq.fill(random.oneOf(0, 1, 10, 60, 200, 1000))(key))

  private def checkCount(f: KeyFilter, distinct: Int): Unit =
    if (f.exact) assert(f.keys == distinct)
    else assert(math.abs(f.keys - distinct) <= 0.25 * distinct + 5)

  test("long keys are found, and no others while the filter is exact") {
    forSeeds(200) { random =>
      val limits = new KeyLimits(random.oneOf(1, 50, 500, 5000), 1 << random.oneOf(9, 12, 16), 5000)
      val scale = random.oneOf(300L, 5000L, 50000L, 1000000L, Long.MaxValue)
      val base = random.oneOf(0L, -scale / 2, Long.MinValue, Long.MaxValue - scale)
      def key() = base + (random.nextDouble() * scale).toLong
      val all = parts(random)(key())
      val keys = all.flatten
      val c = merged(LONGS, limits, all, random)((c, k: Long) => c.add(k))
      val f = c.finish().get
      checkCount(f, keys.distinct.size)
      assert(f.keys == c.count)
      assert(f.min.toScalaOption == keys.reduceOption(
        _ min _
      ) && f.max.toScalaOption == keys.reduceOption(_ max _))
      val asked = keys ++ Seq.fill(300)(key()) ++ Seq(Long.MinValue, 0L, Long.MaxValue)
      val passed = passing(f.predicate, asked)
      val model = keys.toSet
      asked.zip(passed).foreach { case (k, p) => assert(p || !model(k)) }
      if (f.exact) assert(passed == asked.map(model))
      assert(f.form == "bloom" || f.exact)
      assert((f.form == "set") == (keys.nonEmpty && model.size <= limits.exactKeys))
      assert(f.bytes <= math.max(8L * limits.exactKeys, limits.maxBytes + 8))
    }
  }

  test("hashes are found, and have no order") {
    forSeeds(50) { random =>
      val limits = new KeyLimits(random.oneOf(1, 100), 1 << 12, 5000)
      val all = parts(random)(random.nextLong())
      val keys = all.flatten
      val f = merged(HASHES, limits, all, random)((c, k: Long) => c.addHash(k)).finish().get
      checkCount(f, keys.distinct.size)
      assert(f.min.isEmpty && f.max.isEmpty && f.form != "bitmap")
      val asked = keys ++ Seq.fill(300)(random.nextLong())
      val passed = passing(f.predicate, asked)
      assert(passed.take(keys.size).forall(identity))
      if (f.exact) assert(!passed.drop(keys.size).exists(identity))
    }
  }

  test("strings are found, and no others while the filter is exact") {
    forSeeds(100) { random =>
      val limits = new KeyLimits(random.oneOf(1, 50, 5000), 1 << random.oneOf(9, 12, 16), 5000)
      val most = random.oneOf(3, 12, 80)
      def key() = randomBytes(random, most)
      val all = parts(random)(key())
      val keys = all.flatten
      val f = merged(BYTES, limits, all, random) { (c, k: Array[Byte]) =>
        c.add(Array[Byte](1) ++ k ++ Array[Byte](2), 1, k.length)
      }.finish().get
      val model = keys.map(hex).toSet
      checkCount(f, model.size)
      assert(f.minBytes.isPresent == keys.nonEmpty)
      val asked = keys ++ Seq.fill(100)(key())
      val passed = passingBytes(f.predicate, asked, random)
      asked.zip(passed).foreach { case (k, p) => assert(p || !model(hex(k))) }
      if (f.exact) assert(passed == asked.map(k => model(hex(k))))
    }
  }

  test("a filter that is not exact lets few others pass, however it was put together") {
    val random = new Random(3)
    val limits = new KeyLimits(1000, 1 << 20, 1 << 20)
    val keys = Seq.fill(100000)(random.nextLong())
    val f = merged(LONGS, limits, keys.grouped(20000).toSeq, random)((c, k: Long) => c.add(k))
      .finish().get
    assert(f.form == "bloom" && f.bytes == BlockedBloomFilter.bytesFor(f.keys, 1 << 20))
    val others = Seq.fill(100000)(random.nextLong())
    assert(passing(f.predicate, others).count(identity) < 1300)
  }

  test("dense keys stay exact beyond the number of exact keys, sparse ones do not") {
    val random = new Random(4)
    val limits = new KeyLimits(1000, 1 << 20, 1 << 20)
    def form(scale: Int) =
      merged(LONGS, limits, Seq.fill(3)(Seq.fill(3000)(random.nextInt(scale).toLong)), random)(
        (c, k: Long) => c.add(k)
      ).finish().get.form
    assert(form(100000) == "bitmap")
    assert(form(1 << 21) == "bloom")
    assert(form(Int.MaxValue) == "bloom")
  }

  test("more keys than allowed give no filter and take no memory") {
    forSeeds(30) { random =>
      val limits = new KeyLimits(random.oneOf(10, 1000), 1 << random.oneOf(10, 14), 300)
      val scale = random.oneOf(1000L, Long.MaxValue)
      val key = () => (random.nextDouble() * scale).toLong
      val all = Seq.fill(4)(Seq.fill(150)(key()))
      assert(all.flatten.distinct.size > 400)
      val c = merged(LONGS, limits, all, random)((c, k: Long) => c.add(k))
      assert(c.overflowed && c.finish().isEmpty && c.memory == 0 && c.count > 0)
      c.add(5)
      val fresh = new KeyCollector(LONGS, limits)
      fresh.add(1)
      fresh.merge(c)
      assert(fresh.overflowed && fresh.finish().isEmpty)
    }
  }

  test("without a key nothing passes") {
    for (domain <- KeyDomain.values()) {
      val f = new KeyCollector(domain, KeyLimits.DEFAULT).finish().get
      assert(f.form == "empty" && f.keys == 0 && f.exact)
      if (domain == BYTES) {
        assert(!passingBytes(f.predicate, Seq(Array[Byte]()), new Random(1)).head)
      } else {
        assert(!passing(f.predicate, Seq(0L)).head)
      }
    }
  }

  test("keys of another domain and collectors of another kind are refused") {
    val longs = new KeyCollector(LONGS, KeyLimits.DEFAULT)
    intercept[IllegalStateException](longs.addHash(1))
    intercept[IllegalStateException](longs.add(Array[Byte](1), 0, 1))
    val other = new KeyCollector(LONGS, new KeyLimits(5, 1024, 100))
    intercept[IllegalArgumentException](longs.merge(other))
    intercept[IllegalArgumentException](
      longs.merge(new KeyCollector(HASHES, KeyLimits.DEFAULT))
    )
    intercept[IllegalArgumentException](new KeyLimits(0, 1024, 100))
    intercept[IllegalArgumentException](new KeyLimits(5, 31, 100))
    intercept[IllegalArgumentException](new KeyLimits(5, 1024, 0))
  }

  implicit private class ToScala(value: java.util.OptionalLong) {
    def toScalaOption: Option[Long] = value.toScala
  }
}
