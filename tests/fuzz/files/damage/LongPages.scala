// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}

import latebloom.fuzz.files.Dice

/** Replaces the pages of an optional flat column by a single page with about as many rows as a page
  * can have. Its few bytes encode nulls: a bit-packed run of eight levels, then an RLE run.
  */
final class LongPages(parts: ParquetParts) {
  def apply(dice: Dice, chunk: ParquetParts.Chunk): Option[(Array[Byte], String)] =
    for {
      first <- chunk.pages.find(!_.dictionary)
      _ <- Option.when(isOptional(chunk))(())
    } yield {
      val rows = Int.MaxValue - dice.oneOf(0, 0, 1, 31, 62, 63, 64, 1024)
      val body = levels(rows)
      val page = ParquetDamage.compressed(chunk.codec, body)
      val header = Thrift.struct(
        1 -> 0L,
        2 -> body.length.toLong,
        3 -> page.length.toLong
      )
      // PLAIN values, and levels in runs.
      header.fields += Thrift.Field(5, Thrift.struct(1 -> rows.toLong, 2 -> 0L, 3 -> 3L, 4 -> 3L))
      val written = Thrift.write(header) ++ page
      val index = parts.chunks.indexOf(chunk)
      val replaced = parts.replaced(first.start, chunk.end - first.start, written)
      val changed = ParquetParts.of(replaced).get.footer
      val group = changed.structs(4).find { g =>
        val before = changed.structs(4).takeWhile(_ ne g).map(_.structs(1).size).sum
        before <= index && index < before + g.structs(1).size
      }.get
      group.set(3, rows.toLong, Thrift.Int64)
      val column = changed.structs(4).flatMap(_.structs(1))(index)
      // The old statistics and indexes do not describe this page.
      column.fields.filterInPlace(f => f.id < 4 || f.id > 7)
      column.struct(3).foreach { meta =>
        meta.set(5, rows.toLong, Thrift.Int64)
        meta.fields.filterInPlace(f => f.id != 12 && f.id != 14 && f.id != 15)
      }
      (
        ParquetParts.of(replaced).get.withFooter(changed),
        s"${chunk.column} is one page of $rows rows"
      )
    }

  /** Whether the chunk is of a top-level optional column without children. */
  private def isOptional(chunk: ParquetParts.Chunk): Boolean =
    parts.footer.structs(2).drop(1).exists { element =>
      element.text(4).contains(chunk.column) && element.number(3).contains(1L) &&
      element.number(5).isEmpty
    }

  /** Definition levels: eight nulls in a bit-packed run, the others in an RLE run. */
  private def levels(rows: Int): Array[Byte] = {
    val runs = new ByteArrayOutputStream
    Seq(1 << 1 | 1, 0).foreach(runs.write)
    Numbers.varint((rows - 8).toLong << 1).foreach(b => runs.write(b.toInt))
    runs.write(0)
    val length = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(runs.size).array()
    length ++ runs.toByteArray
  }
}
