// SPDX-License-Identifier: Apache-2.0
package latebloom.read

import latebloom.read.io.SpareArrays

/** Overwrites the arrays that scans have released, as another scan might. */
object Scribble {
  private val sizes = Iterator.iterate(SpareArrays.LEAST)(_ * 2).takeWhile(_ <= (32 << 20)).toSeq

  /** Overwrites all kept arrays; returns how many there were. */
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
