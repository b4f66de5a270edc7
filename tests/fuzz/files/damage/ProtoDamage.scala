// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.orc.protobuf.Descriptors.FieldDescriptor
import org.apache.orc.protobuf.Descriptors.FieldDescriptor.JavaType
import org.apache.orc.protobuf.{ByteString, Message}

import latebloom.fuzz.files.Dice

/** Changes one value of a Protocol Buffers message, at any depth. */
object ProtoDamage {

  final private case class Spot(path: String, change: Dice => String)

  /** @param wanted
    *   selects the values that may change by their path: field names joined by dots
    * @return
    *   a description; None if no value was selected
    */
  def apply(dice: Dice, message: Message.Builder)(wanted: String => Boolean): Option[String] = {
    val spots = ArrayBuffer.empty[Spot]
    collect(message, "", spots)
    val chosen = spots.filter(s => wanted(s.path))
    Option.when(chosen.nonEmpty) {
      val spot = dice.pick(chosen)
      s"${spot.path} ${spot.change(dice)}"
    }
  }

  private def collect(message: Message.Builder, path: String, spots: ArrayBuffer[Spot]): Unit =
    message.getAllFields.asScala.toSeq.foreach { case (field, _) =>
      val at = if (path.isEmpty) field.getName else s"$path.${field.getName}"
      val isMessage = field.getJavaType == JavaType.MESSAGE
      if (field.isRepeated) {
        val n = message.getRepeatedFieldCount(field)
        spots += Spot(at, elements(_, message, field))
        (0 until n).foreach { i =>
          if (isMessage) {
            collect(message.getRepeatedFieldBuilder(field, i), at, spots)
          } else {
            spots += Spot(
              at,
              dice => {
                val (value, what) = other(dice, field, message.getRepeatedField(field, i))
                message.setRepeatedField(field, i, value)
                s"element $i $what"
              }
            )
          }
        }
      } else {
        spots += Spot(
          at,
          dice =>
            if (isMessage || dice.chance(12)) {
              message.clearField(field)
              "left out"
            } else {
              val (value, what) = other(dice, field, message.getField(field))
              message.setField(field, value)
              what
            }
        )
        if (isMessage) collect(message.getFieldBuilder(field), at, spots)
      }
    }

  private def elements(dice: Dice, message: Message.Builder, field: FieldDescriptor): String = {
    val list = message.getField(field).asInstanceOf[java.util.List[AnyRef]]
    val items = ArrayBuffer.from(list.asScala)
    val i = dice.below(items.size)
    val what = dice.below(3) match {
      case 0 =>
        items.remove(i)
        s"without element $i"
      case 1 =>
        items.insert(i, items(i))
        s"with element $i twice"
      case _ =>
        val j = dice.below(items.size)
        val kept = items(j)
        items(j) = items(i)
        items(i) = kept
        s"with elements $i and $j exchanged"
    }
    message.clearField(field)
    items.foreach(message.addRepeatedField(field, _))
    what
  }

  private def other(dice: Dice, field: FieldDescriptor, value: Any): (Any, String) = value match {
    case n: java.lang.Long =>
      val after = Numbers.other(dice, n)
      (java.lang.Long.valueOf(after), s"from $n to $after")
    case n: java.lang.Integer =>
      val after = Numbers.other(dice, n.toLong).toInt
      (java.lang.Integer.valueOf(after), s"from $n to $after")
    case b: java.lang.Boolean => (java.lang.Boolean.valueOf(!b), s"is ${!b}")
    case d: java.lang.Double  =>
      val after = dice.oneOf(0.0, -d, Double.NaN, Double.NegativeInfinity, d + 1)
      (java.lang.Double.valueOf(after), s"from $d to $after")
    case text: String =>
      val after = new String(Numbers.other(dice, text.getBytes("UTF-8")), "UTF-8")
      (after, "is another text")
    case bytes: ByteString =>
      (ByteString.copyFrom(Numbers.other(dice, bytes.toByteArray)), "is other bytes")
    case _ if field.getJavaType == JavaType.ENUM =>
      val after = dice.pick(field.getEnumType.getValues.asScala.toIndexedSeq)
      (after, s"from $value to $after")
    case _ => (value, "as before")
  }
}
