// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import latebloom.fuzz.files.Dice

/** Replacements for the values of metadata. */
object Numbers {

  /** A number other than `value` for a count, size, offset or code: near it, far or extreme. */
  def other(dice: Dice, value: Long): Long = {
    val made = dice.below(12) match {
      case 0  => value + dice.oneOf(-1, 1)
      case 1  => value + dice.between(-16, 16)
      case 2  => 0L
      case 3  => -1L
      case 4  => value * dice.oneOf(2, 3, 10) + dice.between(0, 1)
      case 5  => value / dice.oneOf(2, 3, 10)
      case 6  => -value
      case 7  => value ^ 1L << dice.below(33)
      case 8  => Int.MaxValue.toLong - dice.oneOf(0, 1, 7, 8, 64)
      case 9  => dice.oneOf(Int.MinValue.toLong, 1L << 31, 1L << 32, Long.MaxValue, Long.MinValue)
      case 10 => dice.below(16).toLong
      case _  => dice.below(1 << dice.between(1, 24)).toLong
    }
    if (made == value) value + 1 else made
  }

  /** Bytes that replace a string or a statistics value; they may be the same. */
  def other(dice: Dice, value: Array[Byte]): Array[Byte] = dice.below(7) match {
    case 0 => Array.empty
    case 1 => value.take(dice.below(value.length + 1))
    case 2 => value ++ dice.bytes(dice.between(1, 9))
    case 3 => value.map(_ => 0xff.toByte)
    case 4 => value.map(_ => 0.toByte)
    case 5 => dice.bytes(value.length)
    case _ =>
      val copy = value.clone()
      if (copy.nonEmpty) copy(dice.below(copy.length)) = extreme(dice)
      copy
  }

  def extreme(dice: Dice): Byte =
    dice.oneOf(0, 1, 0x7f, 0x80, 0x81, 0xfe, 0xff, dice.below(256)).toByte

  /** A varint of an extreme number, or one that does not end. */
  def varint(dice: Dice): Array[Byte] = {
    val n = dice.oneOf(
      Int.MaxValue.toLong,
      0xffffffffL,
      Int.MaxValue.toLong + 1,
      Long.MaxValue,
      -1L,
      0L,
      0xfffffffeL,
      1L << dice.between(7, 40)
    )
    if (dice.chance(10)) Array.fill(dice.between(5, 12))(0xff.toByte) else varint(n)
  }

  /** The bytes of a number as an unsigned LEB128 varint. */
  def varint(n: Long): Array[Byte] = {
    val bytes = Array.newBuilder[Byte]
    var left = n
    while ((left & ~0x7fL) != 0) {
      bytes += (left & 0x7f | 0x80).toByte
      left >>>= 7
    }
    bytes += left.toByte
    bytes.result()
  }
}
