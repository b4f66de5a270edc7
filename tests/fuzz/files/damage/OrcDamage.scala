// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import scala.util.Try

import org.apache.orc.OrcProto
import org.apache.orc.protobuf.Message

import latebloom.fuzz.files.Dice

/** Damages chosen parts of an ORC file: streams, indexes, footers and statistics. */
final class OrcDamage(data: Array[Byte], parts: OrcParts, aim: Damage.Aim) {
  import aim.columns

  /** @return the damaged bytes and a description; None if the file lacks the chosen part */
  def apply(dice: Dice): Option[(Array[Byte], String)] =
    if (parts.stripes.isEmpty) {
      changed(parts.footer.toBuilder, "the footer's")(dice, _ => true)(parts.withFooter)
    } else {
      val stripe = dice.pick(parts.stripes.toIndexedSeq)
      val read = stripe.streams.indices.filter(i => columns(stripe.streams(i).column))
      val index =
        dice.pick(if (read.isEmpty || dice.chance(10)) stripe.streams.indices else read)
      dice.weighted[() => Option[(Array[Byte], String)]](
        28 -> (() => Some(Bytes.inPlace(dice, data, region(dice, stripe, index)))),
        4 -> (() => Some(Bytes.moving(dice, data, region(dice, stripe, index)))),
        10 -> (() => footer(dice)),
        10 -> (() => stripeStatistics(dice)),
        3 -> (() => postscript(dice)),
        15 -> (() => stripeFooter(dice, stripe)),
        18 -> (() => content(dice, stripe, index)),
        12 -> (() => rowIndex(dice, stripe)),
        24 -> (() => new OrcLies(data, parts, aim.filtered)(dice))
      )()
    }

  private def region(dice: Dice, stripe: OrcParts.Stripe, index: Int): Bytes.Region = {
    val stream = stripe.streams(index).region
    dice.weighted[Bytes.Region](
      30 -> stream.head,
      45 -> stream,
      8 -> Bytes.Region("a stripe's footer", stripe.footerStart, stripe.end),
      8 -> dice.pick(parts.tail.toIndexedSeq)
    )
  }

  private def changed(message: Message.Builder, name: String)(
      dice: Dice,
      wanted: String => Boolean
  )(write: Message.Builder => Array[Byte]): Option[(Array[Byte], String)] =
    ProtoDamage(dice, message)(wanted).map(what => (write(message), s"$name $what"))

  private def footer(dice: Dice) = {
    val ofStripes = dice.chance(40)
    def wanted(path: String) = !ofStripes || path.startsWith("stripes") || path.startsWith("number")
    changed(parts.footer.toBuilder, "the footer's")(dice, wanted)(parts.withFooter)
  }

  private def stripeStatistics(dice: Dice) =
    changed(parts.metadata.toBuilder, "the stripes' statistics'")(dice, _ => true)(
      parts.withMetadata
    )

  private def postscript(dice: Dice) =
    changed(parts.postscript.toBuilder, "the postscript's")(dice, _ => true)(parts.withPostscript)

  private def stripeFooter(dice: Dice, stripe: OrcParts.Stripe) = {
    val message = stripe.footer.toBuilder
    changed(message, "a stripe footer's")(dice, _ => true)(parts.withStripeFooter(stripe, _))
  }

  /** Damages a stream's uncompressed content. Skips streams of several compression chunks: writing
    * them anew would invalidate the row index's positions.
    */
  private def content(dice: Dice, stripe: OrcParts.Stripe, index: Int) = {
    val stream = stripe.streams(index)
    val bytes = data.slice(stream.start, stream.end)
    Option.when(bytes.nonEmpty && Try(parts.chunks(bytes)).toOption.contains(1)) {
      val plain = parts.plain(bytes)
      val whole = Bytes.Region(s"the content of ${stream.region.name}", 0, plain.length)
      val (damaged, what) =
        if (dice.chance(80)) {
          Bytes.inPlace(dice, plain, if (dice.chance(40)) whole.head else whole)
        } else {
          Bytes.moving(dice, plain, whole)
        }
      (parts.withStream(stripe, index, parts.framed(damaged)), what)
    }
  }

  private def rowIndex(dice: Dice, stripe: OrcParts.Stripe) = {
    val indexes = stripe.streams.indices.filter { i =>
      val s = stripe.streams(i)
      isIndex(s.info.getKind) && (columns(s.column) || s.column.isEmpty)
    }
    if (indexes.isEmpty) None
    else {
      val i = dice.pick(indexes)
      val stream = stripe.streams(i)
      val plain = parts.plain(data.slice(stream.start, stream.end))
      val message: Message.Builder =
        if (stream.info.getKind == OrcProto.Stream.Kind.ROW_INDEX) {
          OrcProto.RowIndex.parseFrom(plain).toBuilder
        } else {
          OrcProto.BloomFilterIndex.parseFrom(plain).toBuilder
        }
      changed(message, s"${stream.region.name}:")(dice, _ => true) { m =>
        parts.withStream(stripe, i, parts.framed(m.buildPartial().toByteArray))
      }
    }
  }

  private def isIndex(kind: OrcProto.Stream.Kind): Boolean = kind match {
    case OrcProto.Stream.Kind.ROW_INDEX | OrcProto.Stream.Kind.BLOOM_FILTER |
        OrcProto.Stream.Kind.BLOOM_FILTER_UTF8 =>
      true
    case _ => false
  }
}
