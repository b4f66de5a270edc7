// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

class TableAsksSuite extends AnyFunSuite with BeforeAndAfterEach {

  override protected def beforeEach(): Unit = TableAsks.forget()

  override protected def afterEach(): Unit = TableAsks.forget()

  test("a table is asked at first if its scan costs more than an answer") {
    assert(!TableAsks.pays("t", 0.1))
    assert(TableAsks.pays("t", 2))
    assert(TableAsks.pays("u", 2))
  }

  test("a table that excluded nothing is asked less and less often, and one that did is asked") {
    def asked(table: String, share: Double) = (1 to 1000).count { _ =>
      val asks = TableAsks.pays(table, 1)
      if (asks) TableAsks.answered(table, 0.5, share)
      asks
    }
    assert(asked("clustered", 0.95) == 1000)
    // One answer in ten scans costs a twentieth of their time.
    assert((90 to 110).contains(asked("scattered", 0)))
  }

  test("what answers cost is learned") {
    (1 to 10).foreach(_ => TableAsks.answered("slow", 10, 1))
    assert(!TableAsks.pays("slow", 5))
    assert(TableAsks.pays("slow", 20))
  }
}
