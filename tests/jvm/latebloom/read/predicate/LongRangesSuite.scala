// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.RandomCases

/** Compares sets of keys with the intervals that they were built from. */
class LongRangesSuite extends AnyFunSuite with RandomCases {
  import Long.{MaxValue, MinValue}

  private type Model = Long => Boolean

  /** A set of one of the shapes, the same as a predicate, and keys about its edges. */
  private case class Case(ranges: LongRanges, model: Model, edges: Seq[Long])

  private def randomCase(random: Random): Case = {
    val scale = random.oneOf(30L, 3000L, 1L << 20, 1L << 40, MaxValue)
    val offset = random.oneOf(0L, 0L, -scale / 2, MinValue, MaxValue - scale)
    def key(): Long = random.oneOf(
      offset + (random.nextDouble() * scale).toLong,
      offset + (random.nextDouble() * scale).toLong,
      offset + (random.nextDouble() * scale).toLong,
      random.oneOf(MinValue, MinValue + 1, MaxValue, MaxValue - 1, -1L, 0L)
    )
    val n = random.oneOf(0, 1, 1, 2, 3, 8, 9, 10, 50, 300)
    val intervals = random.nextInt(3) match {
      case 0 => Seq.fill(n) { val k = key(); (k, k) }
      case 1 =>
        Seq.fill(n) { val k = key(); (k, if (k > MaxValue - 2) k else k + random.nextInt(3)) }
      case _ =>
        Seq.fill(n) {
          val width = math.max(1L, scale / 50 / math.max(1, n))
          val lo = key()
          (lo, if (lo > MaxValue - width) MaxValue else lo + (random.nextDouble() * width).toLong)
        }
    }
    val ranges =
      if (intervals.forall(i => i._1 == i._2)) LongRanges.ofPoints(intervals.map(_._1): _*)
      else intervals.map(i => LongRanges.of(i._1, i._2)).foldLeft(LongRanges.none)(_ union _)
    val model: Model = k => intervals.exists { case (lo, hi) => lo <= k && k <= hi }
    val edges = intervals.flatMap { case (lo, hi) =>
      Seq(lo, hi, lo - 1, hi + 1, (lo >> 1) + (hi >> 1))
    } ++ Seq.fill(50)(key()) ++ Seq(MinValue, MinValue + 1, -1L, 0L, 1L, MaxValue - 1, MaxValue)
    Case(ranges, model, random.shuffle(edges))
  }

  private def check(ranges: LongRanges, model: Model, keys: Seq[Long]): Unit = {
    keys.foreach(k => assert(ranges.contains(k) == model(k), s"for $k in $ranges"))
    val out = new Array[Int](keys.size)
    val n = ranges.filter(keys.toArray, keys.size, out)
    assert(out.take(n).toSeq == keys.indices.filter(i => model(keys(i))), s"filtered by $ranges")
    assert(ranges.filter(keys.toArray, 0, out) == 0)
  }

  test("a set of any shape holds exactly its keys, one by one and filtered") {
    forSeeds(300) { random =>
      val c = randomCase(random)
      check(c.ranges, c.model, c.edges)
    }
  }

  test("union, intersect and complement are those of sets") {
    forSeeds(300) { random =>
      val (a, b) = (randomCase(random), randomCase(random))
      val keys = a.edges ++ b.edges
      check(a.ranges.union(b.ranges), k => a.model(k) || b.model(k), keys)
      check(a.ranges.intersect(b.ranges), k => a.model(k) && b.model(k), keys)
      check(a.ranges.complement, k => !a.model(k), keys)
      assert(a.ranges.complement.complement == a.ranges)
      assert(
        a.ranges.union(b.ranges) ==
          a.ranges.complement.intersect(b.ranges.complement).complement
      )
    }
  }

  test("disjoint and covers compare a set with an interval") {
    forSeeds(300) { random =>
      val c = randomCase(random)
      for (_ <- 0 until 20) {
        val ends = Seq.fill(2)(c.edges(random.nextInt(c.edges.size))).sorted
        val interval = LongRanges.of(ends.head, ends.last)
        assert(c.ranges.isDisjoint(ends.head, ends.last) == c.ranges.intersect(interval).isNone)
        assert(c.ranges.covers(ends.head, ends.last) == (c.ranges.union(interval) == c.ranges))
      }
    }
  }

  test("comparisons are right at both ends of the long range") {
    for (k <- Seq(MinValue, MinValue + 1, -1L, 0L, 1L, MaxValue - 1, MaxValue)) {
      val keys = Seq(MinValue, MinValue + 1, -1L, 0L, 1L, MaxValue - 1, MaxValue)
      check(LongRanges.atLeast(k), _ >= k, keys)
      check(LongRanges.atMost(k), _ <= k, keys)
      check(LongRanges.greaterThan(k), _ > k, keys)
      check(LongRanges.lessThan(k), _ < k, keys)
      check(LongRanges.ofPoints(k).complement, _ != k, keys)
    }
    assert(LongRanges.lessThan(MinValue).isNone && LongRanges.greaterThan(MaxValue).isNone)
    assert(LongRanges.atLeast(MinValue).isAll && LongRanges.none.complement.isAll)
    assert(LongRanges.of(3, 2).isNone)
  }

  test("a set survives serialisation") {
    forSeeds(50) { random =>
      val c = randomCase(random)
      val bytes = new ByteArrayOutputStream
      new ObjectOutputStream(bytes).writeObject(c.ranges)
      val copy = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray))
        .readObject().asInstanceOf[LongRanges]
      assert(copy == c.ranges && copy.hashCode == c.ranges.hashCode)
      check(copy, c.model, c.edges)
    }
  }

  test("a set reads as its intervals") {
    assert(LongRanges.ofPoints(9, 5, 8, 7, 9).toString == "5, 7..9")
    assert(LongRanges.of(0, 6).complement.toString == "..-1, 7..")
    assert(LongRanges.none.toString == "none" && LongRanges.all.toString == "all")
    assert(LongRanges.ofPoints((0L until 40L by 2): _*).toString.endsWith("30, … (20 ranges)"))
  }
}
