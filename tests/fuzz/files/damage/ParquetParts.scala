// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import java.io.ByteArrayInputStream
import java.nio.{ByteBuffer, ByteOrder}

import scala.util.Try

import org.apache.parquet.format.Util

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

  /** Whether an offset index of a column that is not repeated has other pages than the chunk, or
    * other numbers of rows than their headers; false if the pages cannot be located.
    */
  def indexesContradictPages: Boolean = Try {
    val groups = footer.structs(4).flatMap(g => g.structs(1).map(_ => g.number(3).get))
    val flat = chunks.zip(groups).filterNot { case (c, _) => repeated(c.path) }
    flat.exists { case (chunk, rows) =>
      val found = chunk.pages.filterNot(_.dictionary).map(p => p.start.toLong -> valueCount(p))
      chunk.offsetIndex.exists { region =>
        val pages = read(region).structs(1)
        val firsts = pages.map(_.number(3).get) :+ rows
        val counts = firsts.zip(firsts.tail).map { case (from, end) => end - from }
        pages.map(_.number(1).get).zip(counts) != found
      }
    }
  }.getOrElse(false)

  private def valueCount(page: Page): Long = {
    val header = Thrift.read(data, page.start)._1
    header.struct(5).orElse(header.struct(8)).flatMap(_.number(1)).get
  }

  /** The paths of leaves that may have more than one value per row. */
  private lazy val repeated: Set[Seq[String]] = {
    val elements = footer.structs(2).iterator
    def leaves(path: Seq[String], within: Boolean): Seq[Seq[String]] = {
      val element = elements.next()
      val inside = path :+ element.text(4).get
      val many = within || element.number(3).contains(2L)
      val children = element.number(5).getOrElse(0L).toInt
      if (children == 0) Seq(inside).filter(_ => many)
      else Seq.fill(children)(leaves(inside, many)).flatten
    }
    leaves(Nil, within = false).map(_.tail).toSet
  }

  /** The file with all pages of its offset indexes at a place where no page is. */
  def withPagesElsewhere: Array[Byte] = chunks.indices.foldLeft(data) { (bytes, i) =>
    val parts = new ParquetParts(bytes, ParquetParts.footerStart(bytes))
    val chunk = parts.chunks(i)
    chunk.offsetIndex.fold(bytes) { region =>
      val index = parts.read(region)
      index.structs(1).foreach(_.set(1, 1, Thrift.Int64))
      parts.withIndex(chunk, offsets = true, index)
    }
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
    * @param path
    *   the names of its column and, in it, of fields
    * @param codec
    *   the codec's number in Parquet's metadata
    */
  final case class Chunk(
      path: Seq[String],
      codec: Int,
      start: Int,
      end: Int,
      pages: Seq[Page],
      columnIndex: Option[Bytes.Region],
      offsetIndex: Option[Bytes.Region],
      bloom: Option[Bytes.Region]
  ) {
    def column: String = path.head

    def pageAt(at: Int): Option[Page] = pages.find(p => p.start <= at && at < p.end)
  }

  /** Parses a file; None if its footer cannot be parsed. */
  def of(data: Array[Byte]): Option[ParquetParts] = Try {
    val start = footerStart(data)
    Thrift.read(data, start)
    new ParquetParts(data, start)
  }.toOption

  private def footerStart(data: Array[Byte]): Int = {
    val buffer = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN)
    data.length - 8 - buffer.getInt(data.length - 8)
  }

  /** The footer's `created_by`, the writer's name and version, as parquet-java reads it: it allows
    * more of a damaged footer than the parser here.
    */
  def writer(data: Array[Byte]): Option[String] = Try {
    val start = footerStart(data)
    val footer = new ByteArrayInputStream(data, start, data.length - start)
    Option(Util.readFileMetaData(footer, true).getCreated_by)
  }.toOption.flatten

  private def columns(footer: Thrift.Struct): Seq[Thrift.Struct] =
    footer.structs(4).flatMap(_.structs(1))

  private def chunk(data: Array[Byte], column: Thrift.Struct): Chunk = {
    val meta = column.struct(3).get
    val first = (meta.number(11).filter(_ > 0) ++ meta.number(9)).min.toInt
    val end = first + meta.number(7).get.toInt
    def region(name: String, at: Option[Long], length: Option[Long]): Option[Bytes.Region] =
      for (a <- at; l <- length) yield Bytes.Region(name, a.toInt, (a + l).toInt)
    Chunk(
      meta.texts(3),
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
