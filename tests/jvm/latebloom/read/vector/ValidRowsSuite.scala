// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector

import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.RandomCases

class ValidRowsSuite extends AnyFunSuite with RandomCases {
  test("nulls end at the next row with a value, or where the search ends") {
    forSeeds(300) { random =>
      val rows = 1 + random.nextInt(300)
      val rare = random.oneOf(1, 2, 100)
      val words = new Array[Long](rows + 63 >>> 6)
      val valid = (0 until rows).filter(_ => random.nextInt(rare) == 0).toSet
      valid.foreach(r => words(r >>> 6) |= 1L << r)
      val nulls = new ValidRows(words)
      for (_ <- 0 until 50) {
        val from = random.nextInt(rows + 1)
        val end = from + random.nextInt(rows + 1 - from)
        val expected = (from until end).find(valid).getOrElse(end)
        assert(nulls.endOfNulls(from, end) == expected, s"from $from to $end of $valid")
      }
    }
  }
}
