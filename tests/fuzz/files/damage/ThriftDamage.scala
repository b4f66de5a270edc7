// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import scala.collection.mutable.ArrayBuffer

import latebloom.fuzz.files.Dice

/** Changes one value of a Thrift struct, at any depth. */
object ThriftDamage {

  final private case class Spot(path: String, change: Dice => String)

  /** @param wanted
    *   selects the values that may change by their path: field ids joined by dots
    * @return
    *   a description; None if no value was selected
    */
  def apply(dice: Dice, struct: Thrift.Struct)(wanted: String => Boolean): Option[String] = {
    val spots = ArrayBuffer.empty[Spot]
    collect(struct, "", spots)
    val chosen = spots.filter(s => wanted(s.path))
    Option.when(chosen.nonEmpty) {
      val spot = dice.pick(chosen)
      s"${spot.path} ${spot.change(dice)}"
    }
  }

  private def collect(struct: Thrift.Struct, path: String, spots: ArrayBuffer[Spot]): Unit =
    struct.fields.foreach { field =>
      val at = if (path.isEmpty) s"${field.id}" else s"$path.${field.id}"
      if (!field.value.isInstanceOf[Thrift.Struct]) {
        spots += Spot(
          at,
          dice =>
            if (dice.chance(12)) {
              struct.fields -= field
              "left out"
            } else {
              change(dice, field.value)
            }
        )
      } else {
        spots += Spot(
          at,
          _ => {
            struct.fields -= field
            "left out"
          }
        )
      }
      within(field.value, at, spots)
    }

  private def within(value: Thrift, path: String, spots: ArrayBuffer[Spot]): Unit = value match {
    case s: Thrift.Struct      => collect(s, path, spots)
    case Thrift.List(_, items) =>
      items.foreach {
        case s: Thrift.Struct => collect(s, path, spots)
        case item             => spots += Spot(path, change(_, item))
      }
    case _ =>
  }

  private def change(dice: Dice, value: Thrift): String = value match {
    case b: Thrift.Bool =>
      b.value = !b.value
      s"is ${b.value}"
    case n: Thrift.Number =>
      val before = n.value
      val after = Numbers.other(dice, before)
      n.value = if (n.kind == Thrift.Int64) after
      else if (n.kind == 3) after.toByte.toLong else after.toInt.toLong
      s"from $before to ${n.value}"
    case r: Thrift.Real =>
      r.bits = dice.long()
      "is another number"
    case b: Thrift.Bytes =>
      b.value = Numbers.other(dice, b.value)
      s"is ${b.value.length} other bytes"
    case Thrift.List(_, items) if items.nonEmpty =>
      val i = dice.below(items.size)
      dice.below(3) match {
        case 0 =>
          items.remove(i)
          s"without element $i"
        case 1 =>
          items.insert(i, items(i))
          s"with element $i twice"
        case _ =>
          val j = dice.below(items.size)
          val other = items(j)
          items(j) = items(i)
          items(i) = other
          s"with elements $i and $j exchanged"
      }
    case _: Thrift.List   => "is empty as before"
    case _: Thrift.Struct => "as before"
  }
}
