// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import scala.collection.mutable.ArrayBuffer

import latebloom.fuzz.files.Dice

/** Writes false but well-formed metadata into a Parquet file, as a faulty writer would. Readers
  * detect most random damage to metadata before an answer depends on it.
  */
final class ParquetLies(parts: ParquetParts) {
  import ParquetLies._

  /** @param chunk
    *   a chunk of a column that a filter reads
    * @param split
    *   whether readers have to assign the row groups to several splits
    * @return
    *   the changed file and a description; None if the file lacks the chosen metadata
    */
  def apply(dice: Dice, chunk: ParquetParts.Chunk, split: Boolean): Option[Damaged] =
    dice.weighted[() => Option[Damaged]](
      (if (split) 60 else 2) -> (() => placement(dice)),
      26 -> (() => nullCounts(dice, chunk)),
      22 -> (() => bounds(dice, chunk)),
      18 -> (() => pageStatistics(dice, chunk)),
      16 -> (() => firstRows(dice, chunk)),
      10 -> (() => rowCount(dice)),
      6 -> (() => sizes(dice, chunk)),
      1 -> (() => new LongPages(parts)(dice, chunk))
    )()

  /** Changes the offset or size by which readers assign a row group to a split. */
  private def placement(dice: Dice): Option[Damaged] = {
    val changed = parts.footer
    val groups = changed.structs(4)
    Option.when(groups.nonEmpty) {
      val i = dice.below(groups.size)
      val group = groups(i)
      val place = dice.below(2 * parts.footerStart).toLong
      val what = dice.below(5) match {
        case 0 =>
          group.fields.filterInPlace(_.id != 6)
          "no compressed size"
        case 1 =>
          group.fields.filterInPlace(_.id != 5)
          "no offset"
        case 2 =>
          group.set(5, place, Thrift.Int64)
          s"offset $place"
        case _ =>
          group.set(6, place, Thrift.Int64)
          s"compressed size $place"
      }
      (parts.withFooter(changed), s"row group $i has $what")
    }
  }

  /** Changes the column's null counts in all row groups, since one alone seldom matters. */
  private def nullCounts(dice: Dice, chunk: ParquetParts.Chunk): Option[Damaged] =
    ofColumn(chunk) { columns =>
      val part = dice.oneOf(0, 0, 0, 0, 1, 2)
      val changed = for (c <- columns; meta <- c.struct(3); stats <- meta.struct(12)) yield {
        stats.set(3, meta.number(5).getOrElse(0L) * part / 2, Thrift.Int64)
      }
      Option.when(changed.nonEmpty)(s"null counts are $part/2 of the values")
    }

  /** Replaces a chunk's bounds by those of another chunk of the column, or by a single value. */
  private def bounds(dice: Dice, chunk: ParquetParts.Chunk): Option[Damaged] =
    ofColumn(chunk) { columns =>
      val stats = columns.flatMap(_.struct(3)).flatMap(_.struct(12))
      Option.when(stats.nonEmpty) {
        val to = dice.pick(stats.toIndexedSeq)
        val others = stats.filter(_ ne to)
        if (others.nonEmpty && dice.chance(60)) {
          val from = dice.pick(others.toIndexedSeq)
          Seq(1, 2, 5, 6).foreach(id => copy(from, id, to, id))
          "bounds are another chunk's"
        } else if (dice.chance(50)) {
          Seq(1 -> 2, 5 -> 6).foreach { case (max, min) => copy(to, max, to, min) }
          "minimum is its maximum"
        } else {
          Seq(1 -> 2, 5 -> 6).foreach { case (max, min) => copy(to, min, to, max) }
          "maximum is its minimum"
        }
      }
    }

  private def copy(from: Thrift.Struct, id: Int, to: Thrift.Struct, as: Int): Unit =
    for (source <- from.get(id); field <- to.fields.find(_.id == as)) field.value = source

  /** Changes the metadata of a column's chunks in all row groups. */
  private def ofColumn(chunk: ParquetParts.Chunk)(
      change: Seq[Thrift.Struct] => Option[String]
  ): Option[Damaged] = {
    val changed = parts.footer
    val all = changed.structs(4).flatMap(_.structs(1))
    def path(column: Thrift.Struct) = column.struct(3).map(_.texts(3))
    val of = path(all(parts.chunks.indexOf(chunk)))
    change(all.filter(path(_) == of)).map { what =>
      (parts.withFooter(changed), s"${chunk.column}'s $what")
    }
  }

  /** Changes bounds or null counts of pages in the column index. */
  private def pageStatistics(dice: Dice, chunk: ParquetParts.Chunk): Option[Damaged] =
    chunk.columnIndex.flatMap { region =>
      val changed = parts.read(region)
      def items(id: Int) = changed.get(id).collect { case Thrift.List(_, items) => items }
        .getOrElse(ArrayBuffer.empty[Thrift])
      val pages = items(1).size
      val what = Option.when(pages > 0) {
        val (i, j) = (dice.below(pages), dice.below(pages))
        dice.below(4) match {
          case 0 =>
            items(5).foreach { case n: Thrift.Number => n.value = 0; case _ => }
            "no nulls"
          case 1 =>
            items(1)(i) = Thrift.Bool(true)
            s"page $i only nulls"
          case _ =>
            Seq(2, 3).map(items).filter(_.size == pages).foreach(b => b(i) = b(j))
            s"page $i the bounds of page $j"
        }
      }
      what.map { w =>
        (parts.withIndex(chunk, offsets = false, changed), s"${chunk.column}'s index has $w")
      }
    }

  /** Moves the first rows of some pages in the offset index. */
  private def firstRows(dice: Dice, chunk: ParquetParts.Chunk): Option[Damaged] =
    chunk.offsetIndex.flatMap { region =>
      val changed = parts.read(region)
      val pages = changed.structs(1)
      Option.when(pages.size > 1) {
        val from = dice.between(1, pages.size - 1)
        val until = if (dice.chance(50)) from + 1 else pages.size
        val by = dice.oneOf(-1, 1, 1, dice.between(-20, 20))
        pages.slice(from, until).foreach { p =>
          p.set(3, p.number(3).getOrElse(0L) + by, Thrift.Int64)
        }
        val name = s"the first rows of pages $from until $until of ${chunk.column}"
        (parts.withIndex(chunk, offsets = true, changed), s"$name, moved by $by")
      }
    }

  /** Changes a row group's row count: often to a negative one, which Spark adds to the others. */
  private def rowCount(dice: Dice): Option[Damaged] = {
    val changed = parts.footer
    val groups = changed.structs(4)
    Option.when(groups.nonEmpty) {
      val i = dice.below(groups.size)
      val rows = groups(i).number(3).getOrElse(0L)
      val other = if (dice.chance(70)) -dice.between(1, 200).toLong else rows + dice.oneOf(-1, 1)
      groups(i).set(3, other, Thrift.Int64)
      (parts.withFooter(changed), s"row group $i has $other rows")
    }
  }

  /** Adds to lengths and offsets amounts that a cast to an int would drop or turn negative. */
  private def sizes(dice: Dice, chunk: ParquetParts.Chunk): Option[Damaged] = {
    val changed = parts.footer
    val column = changed.structs(4).flatMap(_.structs(1))(parts.chunks.indexOf(chunk))
    column.struct(3).map { meta =>
      val id = dice.oneOf(7, 7, 6, 9)
      val more = dice.oneOf(1L << 31, 1L << 32, 1L << 32, 3L << 32, 1L << 62)
      meta.set(id, meta.number(id).getOrElse(0L) + more, Thrift.Int64)
      (parts.withFooter(changed), s"3.$id of the chunk of ${chunk.column} is $more more")
    }
  }
}

object ParquetLies {
  type Damaged = (Array[Byte], String)
}
