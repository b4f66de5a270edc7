// SPDX-License-Identifier: Apache-2.0
package latebloom.read.selection

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class LiveRowsSuite extends AnyFunSuite {

  private def selected(rows: Selection): Seq[Int] = {
    val positions = new Array[Int](rows.rows)
    positions.take(rows.positions(0, rows.rows, rows.rows, positions)).toSeq
  }

  test("the rows of a row group are those that are not listed, or those that are") {
    val random = new Random(1)
    for (share <- Seq(0.0, 0.001, 0.1, 0.5, 0.9, 1.0); _ <- 0 until 20) {
      val listed = (0L until 3000L).filter(_ => random.nextDouble() < share)
      val first = random.nextInt(2800)
      val rows = random.nextInt(400)
      val here = listed.filter(r => r >= first && r < first + rows).map(r => (r - first).toInt)
      val without = LiveRows.without(listed.toArray).of(first, rows)
      assert(without.rows == rows)
      assert(selected(without) == (0 until rows).diff(here))
      assert(selected(LiveRows.only(listed.toArray).of(first, rows)) == here)
    }
  }

  test("the rows that two lists have in common") {
    val random = new Random(5)
    def some() = (0L until 200L).filter(_ => random.nextDouble() < 0.3).toArray
    for (_ <- 0 until 50) {
      val lists = for (make <- Seq(LiveRows.without(_), LiveRows.only(_))) yield make(some())
      for (one <- lists :+ LiveRows.ALL; other <- lists :+ LiveRows.ALL) {
        val both = selected(one.of(0, 200)).intersect(selected(other.of(0, 200)))
        assert(selected(one.and(other).of(0, 200)) == both)
        assert(one.and(other).isListed == (one.isListed || other.isListed))
      }
    }
  }

  test("rows beyond two thousand million have their own numbers") {
    val first = 5L << 32
    val listed = Array(1L, first + 1, first + 5)
    assert(selected(LiveRows.without(listed).of(first, 4)) == Seq(0, 2, 3))
    assert(selected(LiveRows.only(listed).of(first, 6)) == Seq(1, 5))
  }

  test("nothing listed means all rows, or none") {
    assert(LiveRows.without(Array.empty).isAll && LiveRows.ALL.of(7, 3).isAll)
    assert(!LiveRows.only(Array.empty).isAll && LiveRows.only(Array.empty).of(7, 3).isNone)
  }

  test("a list that does not ascend, and a row group in an unknown place, are refused") {
    Seq(Array(1L, 1L), Array(2L, 1L), Array(-1L)).foreach { listed =>
      intercept[IllegalArgumentException](LiveRows.without(listed))
    }
    intercept[IllegalArgumentException](LiveRows.only(Array(1L)).of(-1, 3))
  }
}
