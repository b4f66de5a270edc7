// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import latebloom.fuzz.files.Dice

/** Damages bytes without regard to their content. */
object Bytes {

  /** The bytes from `start` up to, but excluding, `end`. */
  final case class Region(name: String, start: Int, end: Int) {
    def length: Int = end - start

    def within(size: Int): Region = {
      val s = start.max(0).min(size)
      Region(name, s, end.max(s).min(size))
    }

    /** Its first bytes, which usually hold sizes and headers of runs. */
    def head: Region = Region(s"$name, its first bytes", start, end.min(start + 16))
  }

  /** Changes bytes of a region in place; returns all bytes and a description. */
  def inPlace(dice: Dice, data: Array[Byte], region: Region): (Array[Byte], String) = {
    val r = region.within(data.length)
    if (r.length == 0) {
      (data, s"nothing in ${r.name}")
    } else {
      val out = data.clone()
      val at = r.start + dice.below(r.length)
      val n = dice.oneOf(1, 2, 4, 8, 16, dice.between(1, r.length)).min(r.end - at)
      val what = dice.below(8) match {
        case 0 | 1 =>
          val flips = dice.oneOf(1, 1, 1, 2, 4)
          (0 until flips).foreach { _ =>
            val i = r.start + dice.below(r.length)
            out(i) = (out(i) ^ 1 << dice.below(8)).toByte
          }
          s"$flips bits flipped"
        case 2 | 3 =>
          out(at) = Numbers.extreme(dice)
          s"a byte set to ${out(at) & 0xff}"
        case 4 =>
          java.util.Arrays.fill(out, at, at + n, dice.oneOf(0, 0xff, 0x80, 0x7f).toByte)
          s"$n bytes set to ${out(at) & 0xff}"
        case 5 =>
          System.arraycopy(dice.bytes(n), 0, out, at, n)
          s"$n random bytes"
        case 6 =>
          val from = dice.below(data.length - n + 1)
          System.arraycopy(data, from, out, at, n)
          s"$n bytes copied from $from"
        case _ =>
          val v = Numbers.varint(dice)
          System.arraycopy(v, 0, out, at, v.length.min(r.end - at))
          s"a varint of ${v.length} bytes"
      }
      (out, s"$what in ${r.name} at $at")
    }
  }

  /** Inserts bytes into a region or removes some, which moves all later bytes; returns as above. */
  def moving(dice: Dice, data: Array[Byte], region: Region): (Array[Byte], String) = {
    val r = region.within(data.length)
    val at = r.start + dice.below(r.length + 1)
    val n = dice.oneOf(1, 2, 3, 4, 8, dice.between(1, 64))
    if (dice.chance(50)) {
      val more = if (dice.chance(50)) dice.bytes(n) else Array.fill(n)(0.toByte)
      (data.take(at) ++ more ++ data.drop(at), s"$n bytes inserted at $at, in ${r.name}")
    } else {
      (data.take(at) ++ data.drop(at + n), s"$n bytes removed at $at, in ${r.name}")
    }
  }

  def truncated(dice: Dice, data: Array[Byte]): (Array[Byte], String) = {
    val size =
      dice.oneOf(dice.below(data.length), data.length - dice.between(1, 12).min(data.length))
    (data.take(size), s"cut to $size bytes")
  }
}
