// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.execution.joinkeys.Patience
import org.apache.spark.sql.execution.joinkeys.Patience.Cores

/** How long a scan waits, by what the cores do. */
class PatienceSuite extends AnyFunSuite {

  private val millis = 1e6

  private def isSpent(cores: Cores, coreMillis: Double): Boolean = {
    val patience = new Patience(() => cores, coreMillis * millis)
    assert(!patience.isSpent)
    Thread.sleep(50)
    patience.isSpent
  }

  test("idle cores could have done what the scan waits for") {
    assert(isSpent(Cores(idle = 1, busy = 0), coreMillis = 40))
    assert(isSpent(Cores(idle = 4, busy = 60), coreMillis = 150))
  }

  test("while all cores work a scan that waits delays nothing") {
    assert(!isSpent(Cores(idle = 0, busy = 2), coreMillis = 40))
  }

  test("but some time it begins") {
    assert(isSpent(Cores(idle = 0, busy = 512), coreMillis = 90))
  }

  test("an endless one never does") {
    assert(!isSpent(Cores(idle = 1 << 20, busy = 0), Double.PositiveInfinity))
  }
}
