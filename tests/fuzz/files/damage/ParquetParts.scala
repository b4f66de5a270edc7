// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import java.nio.{ByteBuffer, ByteOrder}

import scala.util.Try

/** Locates the parts of a Parquet file, and writes the file with some of them replaced. */
final class ParquetParts private (
    data: Array[Byte],
    val footerStart: Int
) {
  import ParquetParts._

  /** The column chunks of all row groups. Throws if their pages cannot be located. */
  lazy val chunks: Seq[Chunk] = columns(footer).map(chunk(data, _))

  /** The FileMetaData, parsed anew on each call, since callers change it. */
  def footer: Thrift.Struct = Thrift.read(data, footerStart)._1

  /** The file with the footer replaced. */
  def withFooter(footer: Thrift.Struct): Array[Byte] = assemble(data.take(footerStart), footer)

  /** The footer's `created_by`: the writer's name and version. */
  def writer: Option[String] = footer.text(6)

  /** The file without the name of its writer. */
  def withoutWriter: Array[Byte] = {
    val changed = footer
    changed.fields.filterInPlace(_.id != 6)
    withFooter(changed)
  }

  /** The file without statistics and page indexes. */
  def withoutStatistics: Array[Byte] = {
    val changed = footer
    columns(changed).foreach { column =>
      column.fields.filterInPlace(f => f.id < 4 || f.id > 7)
      column.struct(3).foreach(_.fields.filterInPlace(_.id != 12))
    }
    withFooter(changed)
  }

  /** The file with `old` bytes at `at` replaced, and the offsets and sizes of its footer and offset
    * indexes adjusted.
    */
  def replaced(at: Int, old: Int, bytes: Array[Byte]): Array[Byte] = {
    val moved = bytes.length - old
    val changed = footer
    var end = data.take(at) ++ bytes ++ data.slice(at + old, footerStart)
    def shift(struct: Thrift.Struct, id: Int): Unit =
      struct.number(id).filter(_ > at).foreach(n => struct.set(id, n + moved, Thrift.Int64))
    columns(changed).zip(chunks).foreach { case (column, chunk) =>
      val meta = column.struct(3).get
      Seq(9, 10, 11, 14).foreach(shift(meta, _))
      if (chunk.start <= at && at < chunk.end) {
        meta.set(7, meta.number(7).get + moved, Thrift.Int64)
      }
      shift(column, 2)
      Seq(4, 6).foreach(shift(column, _))
      chunk.offsetIndex.foreach { index =>
        val pages = Thrift.read(data, index.start)._1
        pages.structs(1).foreach { page =>
          if (page.number(1).contains(chunk.pageAt(at).fold(-1L)(_.start.toLong))) {
            page.set(2, page.number(2).get + moved, Thrift.Int32)
          }
          shift(page, 1)
        }
        val written = Thrift.write(pages)
        column.set(4, end.length.toLong, Thrift.Int64)
        column.set(5, written.length.toLong, Thrift.Int32)
        end ++= written
      }
    }
    changed.structs(4).foreach(g => Seq(5).foreach(shift(g, _)))
    assemble(end, changed)
  }

  /** The file with a chunk's offset or column index replaced by one just before the footer. */
  def withIndex(chunk: Chunk, offsets: Boolean, index: Thrift.Struct): Array[Byte] = {
    val changed = footer
    val written = Thrift.write(index)
    val column = columns(changed)(chunks.indexOf(chunk))
    column.set(if (offsets) 4 else 6, footerStart.toLong, Thrift.Int64)
    column.set(if (offsets) 5 else 7, written.length.toLong, Thrift.Int32)
    assemble(data.take(footerStart) ++ written, changed)
  }

  def read(region: Bytes.Region): Thrift.Struct = Thrift.read(data, region.start)._1
}

object ParquetParts {

  /** A page.
    *
    * @param start
    *   offset of its header in the file
    * @param body
    *   offset after its header
    * @param end
    *   offset after its last byte
    * @param dictionary
    *   whether it is a dictionary page
    */
  final case class Page(start: Int, body: Int, end: Int, dictionary: Boolean)

  /** A column chunk.
    *
    * @param column
    *   the name of its top-level column
    * @param codec
    *   the codec's number in Parquet's metadata
    */
  final case class Chunk(
      column: String,
      codec: Int,
      start: Int,
      end: Int,
      pages: Seq[Page],
      columnIndex: Option[Bytes.Region],
      offsetIndex: Option[Bytes.Region],
      bloom: Option[Bytes.Region]
  ) {
    def pageAt(at: Int): Option[Page] = pages.find(p => p.start <= at && at < p.end)
  }

  /** Parses a file; None if its footer cannot be parsed. */
  def of(data: Array[Byte]): Option[ParquetParts] = Try {
    val buffer = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN)
    val start = data.length - 8 - buffer.getInt(data.length - 8)
    Thrift.read(data, start)
    new ParquetParts(data, start)
  }.toOption

  private def columns(footer: Thrift.Struct): Seq[Thrift.Struct] =
    footer.structs(4).flatMap(_.structs(1))

  private def chunk(data: Array[Byte], column: Thrift.Struct): Chunk = {
    val meta = column.struct(3).get
    val first = (meta.number(11).filter(_ > 0) ++ meta.number(9)).min.toInt
    val end = first + meta.number(7).get.toInt
    def region(name: String, at: Option[Long], length: Option[Long]): Option[Bytes.Region] =
      for (a <- at; l <- length) yield Bytes.Region(name, a.toInt, (a + l).toInt)
    Chunk(
      meta.texts(3).head,
      meta.number(4).get.toInt,
      first,
      end,
      pages(data, first, end),
      region("a column index", column.number(6), column.number(7)),
      region("an offset index", column.number(4), column.number(5)),
      region("a bloom filter", meta.number(14), meta.number(15).orElse(Some(64L)))
    )
  }

  private def pages(data: Array[Byte], first: Int, end: Int): Seq[Page] =
    Seq.unfold(first) { at =>
      Option.when(at < end) {
        val (header, body) = Thrift.read(data, at)
        val next = body + header.number(3).get.toInt
        require(next > at && next <= data.length)
        (Page(at, body, next, header.struct(7).isDefined), next)
      }
    }

  private def assemble(before: Array[Byte], footer: Thrift.Struct): Array[Byte] = {
    val written = Thrift.write(footer)
    val end = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN)
    end.putInt(written.length).put("PAR1".getBytes)
    before ++ written ++ end.array()
  }
}
