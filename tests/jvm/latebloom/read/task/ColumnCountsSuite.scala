// SPDX-License-Identifier: Apache-2.0
package latebloom.read.task

import org.scalatest.funsuite.AnyFunSuite

class ColumnCountsSuite extends AnyFunSuite {
  private def all(columns: Int) = Array.fill(columns)(true)

  test("a value that two uses decode is decoded twice, and skipped by none") {
    val counts = new ColumnCounts
    counts.decoded(0, 1, 60, 60)
    counts.decoded(0, 2, 40, 40)
    counts.decoded(0, 0, 5, 5)
    counts.decoded(0, 0, 10, 10)
    assert(counts.endWindow(all(1), 100) == 40)
    assert(counts.take().toSeq == Seq(115, 0, 40))
  }

  test("batches of one use add up, and the next window begins anew") {
    val counts = new ColumnCounts
    counts.decoded(1, 0, 30, 30)
    counts.decoded(1, 0, 50, 50)
    assert(counts.endWindow(all(2), 100) == 100 + 20)
    counts.decoded(1, 0, 1, 1)
    assert(counts.endWindow(all(2), 10) == 10 + 9)
    assert(counts.take().toSeq == Seq(0, 0, 110, 81, 0, 29))
    assert(counts.take().isEmpty)
  }

  test("a list's entries are values, and its rows are those that are not skipped") {
    val counts = new ColumnCounts
    counts.decoded(0, 0, 10, 70)
    assert(counts.endWindow(all(1), 100) == 90)
    assert(counts.take().toSeq == Seq(70, 0, 90))
  }

  test("rows that are decoded between wanted ones are not skipped, nor are there fewer than none") {
    val counts = new ColumnCounts
    counts.decoded(0, 0, 1024, 1024)
    assert(counts.endWindow(all(1), 1000) == 0)
    assert(counts.take().toSeq == Seq(1024, 0, 0))
  }

  test("what Spark's reader decodes is counted apart") {
    val counts = new ColumnCounts
    counts.decodedBySpark(0, 0, 25)
    assert(counts.endWindow(all(1), 100) == 75)
    assert(counts.take().toSeq == Seq(0, 25, 75))
  }

  test("a column that the scan does not read is not skipped") {
    val counts = new ColumnCounts
    counts.decoded(2, 0, 10, 10)
    assert(counts.endWindow(Array(true, false, true), 100) == 100 + 90)
    assert(counts.take().toSeq == Seq(0, 0, 100, 0, 0, 0, 10, 0, 90))
  }

  test("of many columns the last entry has all others") {
    val counts = new ColumnCounts
    val columns = ColumnCounts.MOST_COLUMNS + 3
    (0 until columns).foreach(c => counts.decoded(c, 0, 10, 10))
    assert(counts.endWindow(all(columns), 11) == columns)
    val found = counts.take()
    assert(found.length == ColumnCounts.MOST_COLUMNS * ColumnCounts.NUMBERS)
    assert(found.take(3).toSeq == Seq(10, 0, 1))
    assert(found.takeRight(3).toSeq == Seq(40, 0, 4))
  }
}
