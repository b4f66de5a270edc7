// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import org.apache.orc.OrcProto

import latebloom.fuzz.files.Dice

/** Writes false but well-formed metadata into an ORC file, as a faulty writer would.
  *
  * @param columns
  *   the columns that filters read
  */
final class OrcLies(data: Array[Byte], parts: OrcParts, columns: Set[String]) {

  /** @return the changed file and a description; None if the file lacks the chosen metadata */
  def apply(dice: Dice): Option[(Array[Byte], String)] =
    dice.weighted[() => Option[(Array[Byte], String)]](
      75 -> (() => statistics(dice)),
      25 -> (() => strides(dice))
    )()

  /** Replaces the statistics of a stride by another's, or makes them deny its nulls or values. */
  private def statistics(dice: Dice): Option[(Array[Byte], String)] = {
    val indexes = for {
      stripe <- parts.stripes
      i <- stripe.streams.indices
      s = stripe.streams(i)
      if s.info.getKind == OrcProto.Stream.Kind.ROW_INDEX && columns(s.column)
    } yield (stripe, i)
    Option.when(indexes.nonEmpty) {
      val (stripe, i) = dice.pick(indexes.toIndexedSeq)
      val stream = stripe.streams(i)
      val others = indexes.filter { case (s, j) =>
        (s ne stripe) && s.streams(j).info.getColumn == stream.info.getColumn
      }
      val index = read(stream).toBuilder
      val n = index.getEntryCount
      require(n > 0, "no strides")
      val to = dice.below(n)
      val entry = index.getEntryBuilder(to)
      val what = dice.below(6) match {
        case 0 =>
          entry.getStatisticsBuilder.setHasNull(false)
          "no nulls"
        case 1 =>
          entry.getStatisticsBuilder.setNumberOfValues(0)
          "no values"
        case _ =>
          val from =
            if (others.isEmpty || dice.chance(50)) index.build()
            else {
              val (s, j) = dice.pick(others.toIndexedSeq)
              read(s.streams(j))
            }
          require(from.getEntryCount > 0, "no strides")
          val other = dice.below(from.getEntryCount)
          entry.setStatistics(from.getEntry(other).getStatistics)
          s"the statistics of stride $other"
      }
      val bytes = parts.framed(index.buildPartial().toByteArray)
      (parts.withStream(stripe, i, bytes), s"stride $to of ${stream.column} has $what")
    }
  }

  private def read(stream: OrcParts.Stream): OrcProto.RowIndex =
    OrcProto.RowIndex.parseFrom(parts.plain(data.slice(stream.start, stream.end)))

  /** Claims short strides, and many rows in a stripe. */
  private def strides(dice: Dice): Option[(Array[Byte], String)] = {
    val footer = parts.footer.toBuilder
    Option.when(footer.getStripesCount > 0) {
      val stride = dice.oneOf(1, 1, 1, 2, 7, 1000)
      footer.setRowIndexStride(stride)
      val stripe = footer.getStripesBuilder(dice.below(footer.getStripesCount))
      val rows = dice.oneOf(
        Int.MaxValue.toLong - dice.oneOf(0, 1, 1023, 1024, 1025),
        1L << dice.between(10, 31),
        stripe.getNumberOfRows
      )
      stripe.setNumberOfRows(rows)
      (parts.withFooter(footer), s"strides of $stride rows, a stripe of $rows")
    }
  }
}
