// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import latebloom.line.Compat._

/** Keys of several columns, and ranges of keys, gathered in parts. */
class CompoundKeysSuite extends AnyFunSuite with Probing {
  import KeyDomain._

  private def sent(keys: KeyGathering, random: Random): KeyGathering =
    if (random.nextBoolean()) KeyGathering.deserialize(keys.serialize()) else keys

  private def merged(all: Seq[KeyGathering], random: Random): KeyFilter =
    random.shuffle(all.map(sent(_, random))).reduce { (a, b) =>
      a.merge(b)
      sent(a, random)
    }.finish().get

  test("each column has the keys that it has by itself") {
    forSeeds(100) { random =>
      val limits = new KeyLimits(random.oneOf(2, 100, 20000), 1 << random.oneOf(9, 12, 20), 100000)
      val spread = random.oneOf(30, 3000, 1000000000)
      val rows = Seq.fill(random.oneOf(1, 50, 3000)) {
        (random.nextInt(spread).toLong, randomBytes(random, 8))
      }
      val parts = rows.grouped(random.oneOf(7, 1000)).map { some =>
        val c = new CompoundCollector(Seq(LONGS, BYTES, null).asJava, limits)
        some.foreach { case (number, text) =>
          c.whole.addHash(number)
          c.part(0).add(number)
          c.part(1).add(text, 0, text.length)
        }
        c
      }.toSeq
      val filter = merged(parts, random)
      assert(filter.domain == HASHES && filter.part(2).toScala.isEmpty)
      assert(filter.part(3).toScala.isEmpty)
      assert(passing(filter.predicate, rows.map(_._1)).forall(identity))
      val numbers = filter.part(0).get
      assert(numbers.min.getAsLong == rows.map(_._1).min)
      assert(numbers.max.getAsLong == rows.map(_._1).max)
      assert(passing(numbers.predicate, rows.map(_._1)).forall(identity))
      if (numbers.exact) assert(numbers.keys == rows.map(_._1).distinct.size)
      rows.foreach { case (number, text) =>
        assert(!numbers.predicate.isDisjoint(number, number))
        assert(!filter.part(1).get.predicate.isDisjoint(text, text))
      }
    }
  }

  test("a column of many keys takes little room") {
    val c = new CompoundCollector(Seq(LONGS).asJava, KeyLimits.DEFAULT)
    (0 until 200000).foreach { i =>
      c.whole.addHash(i)
      c.part(0).add(i * 1000003L)
    }
    val part = c.finish().get.part(0).get
    assert(part.bytes <= (64 << 10) && part.max.getAsLong == 199999 * 1000003L)
  }

  test("too many keys yield no filter, whatever the columns have") {
    val c = new CompoundCollector(Seq(LONGS).asJava, new KeyLimits(1, 1024, 10))
    (0 until 11).foreach { i =>
      c.whole.addHash(i)
      c.part(0).add(1)
    }
    assert(c.overflowed && c.finish().toScala.isEmpty)
  }

  test("the least and the greatest bound of ranges") {
    forSeeds(100) { random =>
      val scale = random.oneOf(10, 1000000)
      val ranges = Seq.fill(random.oneOf(0, 1, 100)) {
        (random.nextInt(scale).toLong, random.nextInt(scale).toLong)
      }
      val parts = (Nil +: ranges.grouped(7).toSeq).map { some =>
        val c = new RangeCollector
        some.foreach { case (least, greatest) => c.add(least, greatest) }
        c
      }
      val filter = merged(parts, random)
      val real = ranges.filter { case (least, greatest) => least <= greatest }
      assert(filter.form == (if (real.isEmpty) "empty" else "range"))
      assert(filter.keys == real.size && filter.exact == real.isEmpty)
      val asked = Seq.fill(200)(random.nextInt(scale).toLong)
      val expected = asked.map { k =>
        real.nonEmpty && k >= real.map(_._1).min && k <= real.map(_._2).max
      }
      assert(passing(filter.predicate, asked) == expected)
    }
  }

  test("keys of other columns, or of another kind, do not merge") {
    val limits = KeyLimits.DEFAULT
    val all = Seq[KeyGathering](
      new KeyCollector(LONGS, limits),
      new KeyCollector(HASHES, limits),
      new RangeCollector,
      new CompoundCollector(Seq(LONGS).asJava, limits),
      new CompoundCollector(Seq(LONGS, LONGS).asJava, limits)
    )
    for (a <- all; b <- all if a ne b) intercept[IllegalArgumentException](a.merge(b))
  }
}
