// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.predicate.ColumnPredicate

/** Compares bitmaps with sets. */
class KeyBitmapSuite extends AnyFunSuite with Probing {
  private val bytes = 1L << 10

  private def near(random: Random): () => Long = {
    val base = random.oneOf(0L, -4000L, Long.MinValue, Long.MaxValue - 8000, 1L << 40)
    () => base + random.nextInt(8000)
  }

  private def grown(keys: Seq[Long]): KeyBitmap = {
    val bitmap = new KeyBitmap(keys.head, keys.head)
    var (min, max) = (keys.head, keys.head)
    val seen = mutable.Set.empty[Long]
    keys.foreach { k =>
      min = math.min(min, k)
      max = math.max(max, k)
      assert(KeyBitmap.fits(min, max, bytes))
      bitmap.reach(min, max, bytes)
      assert(bitmap.add(k) == seen.add(k))
      assert(bitmap.length * 8 <= bytes)
    }
    bitmap
  }

  private def listed(bitmap: KeyBitmap): Seq[Long] = {
    val keys = Seq.newBuilder[Long]
    bitmap.forEach(k => keys += k)
    keys.result()
  }

  test("it has all added keys, in whichever direction it grew") {
    forSeeds(200) { random =>
      val key = near(random)
      val keys = Seq.fill(1 + random.nextInt(300))(key())
      val bitmap = grown(keys)
      val model = keys.toSet
      assert(bitmap.size == model.size && listed(bitmap) == model.toSeq.sorted)
      assert(bitmap.min == keys.min && bitmap.max == keys.max)
      val trimmed = bitmap.trimmed(keys.min, keys.max)
      assert(listed(trimmed) == listed(bitmap))
      val asked = keys ++ Seq.fill(200)(key()) ++
        Seq(Long.MinValue, -1L, 0L, Long.MaxValue, keys.min - 1, keys.max + 1)
      for (b <- Seq(bitmap, trimmed)) {
        assert(passing(new ColumnPredicate.Probed(b), asked) == asked.map(model))
      }
    }
  }

  test("it covers an interval if it has all of its keys") {
    forSeeds(200) { random =>
      val first = random.oneOf(0L, -130L, Long.MinValue, Long.MaxValue - 400, 1L << 40)
      val n = 1 + random.nextInt(400)
      val lacking = Seq.fill(random.oneOf(0, 1, 3))(first + random.nextInt(n)).toSet
      val keys = (0 until n).map(first + _).filterNot(lacking)
      if (keys.nonEmpty) {
        val bitmap = grown(keys)
        Seq.fill(50)(random.nextInt(n), random.nextInt(n)).foreach { case (a, b) =>
          val (from, to) = (first + math.min(a, b), first + math.max(a, b))
          assert(bitmap.covers(from, to) == !lacking.exists(k => from <= k && k <= to))
        }
        assert(bitmap.covers(keys.min, keys.max) == (keys.max - keys.min == keys.size - 1))
        assert(keys.min == Long.MinValue || !bitmap.covers(keys.min - 1, keys.min))
        assert(keys.max == Long.MaxValue || !bitmap.covers(keys.max, keys.max + 1))
        assert(!bitmap.covers(Long.MinValue, Long.MaxValue))
      }
    }
  }

  test("an interval is disjoint if it has none of its keys") {
    forSeeds(200) { random =>
      val key = near(random)
      val keys = Seq.fill(random.oneOf(1, 3, 40))(key())
      val bitmap = grown(keys)
      def check(from: Long, to: Long): Unit =
        assert(
          bitmap.isDisjoint(from, to) == !keys.exists(k => from <= k && k <= to),
          s"$from..$to"
        )
      Seq.fill(50)(key(), key()).foreach { case (a, b) => check(math.min(a, b), math.max(a, b)) }
      keys.foreach(k => check(k, k))
      check(Long.MinValue, Long.MaxValue)
      if (keys.min > Long.MinValue) check(Long.MinValue, keys.min - 1)
      if (keys.max < Long.MaxValue) check(keys.max + 1, Long.MaxValue)
    }
  }

  test("all keys of another are added") {
    forSeeds(100) { random =>
      val key = near(random)
      val (left, right) = (Seq.fill(100)(key()), Seq.fill(100)(key()))
      val bitmap = grown(left)
      bitmap.reach((left ++ right).min, (left ++ right).max, bytes)
      bitmap.addAll(grown(right))
      assert(listed(bitmap) == (left ++ right).distinct.sorted)
      assert(bitmap.size == (left ++ right).distinct.size)
    }
  }

  test("keys far apart do not fit") {
    assert(KeyBitmap.fits(-5, 58, 16) && !KeyBitmap.fits(-5, 64, 16))
    assert(!KeyBitmap.fits(Long.MinValue, Long.MaxValue, Int.MaxValue))
  }
}
