// SPDX-License-Identifier: Apache-2.0
package latebloom.read

import latebloom.read.io.SpareArrays

/** Does with the arrays that scans have let go of what another scan might do. */
object Scribble {
  private val sizes = Iterator.iterate(SpareArrays.LEAST)(_ * 2).takeWhile(_ <= (32 << 20)).toSeq

  /** Overwrites all that are kept; how many there were. */
  def overSpareArrays(): Int = {
    // A fresh one is zero.
    val kept = sizes.flatMap { size =>
      Iterator.continually(SpareArrays.SHARED.take(size)).takeWhile(_.take(1000).exists(_ != 0))
    }
    kept.foreach(java.util.Arrays.fill(_, 'x'.toByte))
    kept.foreach(SpareArrays.SHARED.give)
    kept.size
  }
}
