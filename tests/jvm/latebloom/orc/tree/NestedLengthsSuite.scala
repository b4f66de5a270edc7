// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.tree

import org.apache.hadoop.hive.ql.exec.vector._
import org.scalatest.funsuite.AnyFunSuite

import latebloom.orc.encoding.CorruptStreamException

class NestedLengthsSuite extends AnyFunSuite {

  /** As orc-core makes it: the sum of the lengths is an int. */
  private def lists(lengths: Long*): ListColumnVector = {
    val vector = new ListColumnVector(lengths.size, new LongColumnVector(8))
    for ((length, i) <- lengths.zipWithIndex) {
      vector.lengths(i) = length
      vector.childCount = (vector.childCount + length).toInt
    }
    vector
  }

  private def isRefused(vector: ColumnVector, n: Int): Boolean =
    try {
      NestedLengths.check(vector, n)
      false
    } catch { case _: CorruptStreamException => true }

  test("lists whose elements have been read pass the check, null ones included") {
    assert(!isRefused(lists(2, 0, 6), 3))
    val some = lists(2, 1L << 40, 6)
    some.noNulls = false
    some.isNull(1) = true
    some.childCount = 8
    assert(!isRefused(some, 3))
    val none = lists(7)
    none.noNulls = false
    none.isNull(0) = true
    none.isRepeating = true
    none.childCount = 0
    assert(!isRefused(none, 1))
  }

  test("lengths that overflow an int, or are negative, are refused") {
    assert(isRefused(lists(1L << 31, 1L << 31, 3), 3))
    assert(isRefused(lists(3, -1, 3), 3))
    assert(isRefused(lists((1L << 32) + 2), 1))
  }

  test("lists within lists, maps and structs are checked") {
    val bad = lists(1L << 31, 1L << 31, 3)
    val list = lists(3)
    list.child = bad
    assert(isRefused(list, 1))
    assert(isRefused(new StructColumnVector(3, new LongColumnVector(3), bad), 3))
    val map = new MapColumnVector(1, new LongColumnVector(3), bad)
    map.lengths(0) = 3
    map.childCount = 3
    assert(isRefused(map, 1))
  }
}
