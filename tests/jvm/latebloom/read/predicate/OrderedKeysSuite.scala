// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.util.SQLOrderingUtil

import latebloom.read.RandomCases

/** Compares keys of floating-point numbers with Spark's own comparison. */
class OrderedKeysSuite extends AnyFunSuite with RandomCases {
  private val nans = Seq(0x7ff8000000000000L, 0x7ff0000000000001L, -1L, 0xfff8000000000000L)
    .map(java.lang.Double.longBitsToDouble)

  private val doubles = nans ++ Seq(
    0.0,
    1.0,
    0.1,
    Double.MinPositiveValue,
    Double.MaxValue,
    Double.PositiveInfinity
  ).flatMap(d => Seq(d, -d))

  test("keys of doubles order and equal each other as Spark orders the doubles") {
    forSeeds(30) { random =>
      val all = doubles ++
        Seq.fill(30)(java.lang.Double.longBitsToDouble(random.nextLong())) ++
        Seq.fill(5)(random.nextGaussian())
      for (a <- all; b <- all) {
        val expected = math.signum(SQLOrderingUtil.compareDoubles(a, b))
        assert(java.lang.Long.compare(OrderedKeys.of(a), OrderedKeys.of(b)) == expected, s"$a, $b")
      }
    }
  }

  test("keys of floats order and equal each other as Spark orders the floats") {
    forSeeds(30) { random =>
      val all = doubles.map(_.toFloat) ++
        Seq(0x7fc00000, 0x7f800001, 0xff800001, -1).map(java.lang.Float.intBitsToFloat) ++
        Seq.fill(30)(java.lang.Float.intBitsToFloat(random.nextInt()))
      for (a <- all; b <- all) {
        val expected = math.signum(SQLOrderingUtil.compareFloats(a, b))
        assert(java.lang.Long.compare(OrderedKeys.of(a), OrderedKeys.of(b)) == expected, s"$a, $b")
      }
    }
  }

  test("the upper half of a float's raw bits is ignored") {
    val raw = java.lang.Float.floatToRawIntBits(-1.5f)
    assert(OrderedKeys.ofFloatBits(raw & 0xffffffffL) == OrderedKeys.of(-1.5f))
    assert(OrderedKeys.ofFloatBits(raw.toLong) == OrderedKeys.of(-1.5f))
  }
}
