// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import java.io.ByteArrayOutputStream

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.CompressionCodecName

import latebloom.fuzz.files.Dice

/** Damages chosen parts of a Parquet file: pages, their headers, indexes and the footer. */
final class ParquetDamage(data: Array[Byte], parts: ParquetParts, aim: Damage.Aim) {
  import ParquetDamage._

  private val read = parts.chunks.filter(c => aim.columns(c.column))
  private val filtered = parts.chunks.filter(c => aim.filtered(c.column))

  /** @return the damaged bytes and a description; None if the file lacks the chosen part */
  def apply(dice: Dice): Option[(Array[Byte], String)] = {
    val chunks = if (read.isEmpty || dice.chance(10)) parts.chunks else read
    if (chunks.isEmpty) {
      footer(dice, _ => true)
    } else {
      val chunk = dice.pick(chunks.toIndexedSeq)
      dice.weighted[() => Option[(Array[Byte], String)]](
        26 -> (() => Some(Bytes.inPlace(dice, data, region(dice, chunk)))),
        4 -> (() => Some(Bytes.moving(dice, data, region(dice, chunk)))),
        10 -> (() => footer(dice, _ => true)),
        12 -> (() => chunkMetadata(dice, chunk)),
        12 -> (() => statistics(dice, chunk)),
        16 -> (() => header(dice, chunk)),
        12 -> (() => content(dice, chunk)),
        6 -> (() => index(dice, chunk)),
        2 -> (() => rowCounts(dice)),
        (if (aim.split) 60 else 24) -> (() => lie(dice))
      )()
    }
  }

  private def lie(dice: Dice) = {
    val chunks = if (filtered.isEmpty) parts.chunks else filtered
    new ParquetLies(parts)(dice, dice.pick(chunks.toIndexedSeq), aim.split)
  }

  private def region(dice: Dice, chunk: ParquetParts.Chunk): Bytes.Region = {
    val page = Option.when(chunk.pages.nonEmpty)(dice.pick(chunk.pages.toIndexedSeq))
    def body = page.map(p => Bytes.Region(s"a page of ${chunk.column}", p.body, p.end))
    val found = dice.weighted[Option[Bytes.Region]](
      20 -> page.map(p => Bytes.Region(s"a page header of ${chunk.column}", p.start, p.body)),
      25 -> body.map(_.head),
      30 -> body,
      6 -> chunk.columnIndex,
      6 -> chunk.offsetIndex,
      3 -> chunk.bloom,
      8 -> Some(Bytes.Region("the footer", parts.footerStart, data.length - 8)),
      2 -> Some(Bytes.Region("the end", data.length - 8, data.length))
    )
    found.getOrElse(Bytes.Region(s"a chunk of ${chunk.column}", chunk.start, chunk.end))
  }

  private def footer(dice: Dice, wanted: String => Boolean): Option[(Array[Byte], String)] = {
    val changed = parts.footer
    ThriftDamage(dice, changed)(wanted).map { what =>
      (parts.withFooter(changed), s"the footer's $what")
    }
  }

  /** Damages the metadata of the chunk. */
  private def chunkMetadata(dice: Dice, chunk: ParquetParts.Chunk) =
    changedChunk(dice, chunk, "", _ => true)

  private def statistics(dice: Dice, chunk: ParquetParts.Chunk) =
    if (dice.chance(10)) footer(dice, _ == "6")
    else changedChunk(dice, chunk, " statistics", _.startsWith("3.12"))

  private def changedChunk(
      dice: Dice,
      chunk: ParquetParts.Chunk,
      name: String,
      wanted: String => Boolean
  ): Option[(Array[Byte], String)] = {
    val changed = parts.footer
    val column = changed.structs(4).flatMap(_.structs(1))(parts.chunks.indexOf(chunk))
    ThriftDamage(dice, column)(wanted).map { what =>
      (parts.withFooter(changed), s"the chunk of ${chunk.column}'s$name $what")
    }
  }

  private def rowCounts(dice: Dice) = footer(dice, p => p == "3" || p == "4.3" || p.endsWith("3.5"))

  private def header(dice: Dice, chunk: ParquetParts.Chunk): Option[(Array[Byte], String)] =
    Option.when(chunk.pages.nonEmpty) {
      val page = dice.pick(chunk.pages.toIndexedSeq)
      val header = Thrift.read(data, page.start)._1
      val what = ThriftDamage(dice, header)(_ => true)
      val written = Thrift.write(header)
      val out = parts.replaced(page.start, page.body - page.start, written)
      (out, s"a page header of ${chunk.column}: ${what.getOrElse("")}")
    }

  /** Damages the uncompressed content of a page, and compresses it again. */
  private def content(dice: Dice, chunk: ParquetParts.Chunk): Option[(Array[Byte], String)] =
    if (chunk.pages.isEmpty) None
    else {
      val page = dice.pick(chunk.pages.toIndexedSeq)
      val header = Thrift.read(data, page.start)._1
      // The levels of a page of version 2 precede its compressed part.
      val levels = header.struct(8).fold(0)(v2 => (v2.number(5) ++ v2.number(6)).sum.toInt)
      val size = header.number(2).get.toInt - levels
      val values = page.body + levels
      for {
        _ <- Option.when(size >= 0 && size < MaxPage)(())
        codec <- codecs.lift(if (isPlain(header)) 0 else chunk.codec)
        plain <- Try(decompressed(codec, data.slice(values, page.end), size)).toOption
      } yield {
        val whole = Bytes.Region(s"the content of a page of ${chunk.column}", 0, plain.length)
        val (damaged, what) =
          if (dice.chance(80)) {
            Bytes.inPlace(dice, plain, if (dice.chance(40)) whole.head else whole)
          } else {
            Bytes.moving(dice, plain, whole)
          }
        val body = compressed(codec, damaged)
        header.set(2, damaged.length.toLong + levels, Thrift.Int32)
        header.set(3, body.length.toLong + levels, Thrift.Int32)
        header.fields.filterInPlace(_.id != 4)
        val written = Thrift.write(header) ++ data.slice(page.body, values) ++ body
        (parts.replaced(page.start, page.end - page.start, written), what)
      }
    }

  private def index(dice: Dice, chunk: ParquetParts.Chunk): Option[(Array[Byte], String)] = {
    val offsets = dice.chance(50)
    (if (offsets) chunk.offsetIndex else chunk.columnIndex).map { region =>
      val changed = parts.read(region)
      val what = ThriftDamage(dice, changed)(_ => true).getOrElse("")
      (parts.withIndex(chunk, offsets, changed), s"${region.name} of ${chunk.column}: $what")
    }
  }
}

object ParquetDamage {
  private val MaxPage = 1 << 20

  /** Whether a page of version 2 declares itself uncompressed, whatever the chunk's codec. */
  private def isPlain(header: Thrift.Struct): Boolean =
    header.struct(8).flatMap(_.get(7)).contains(Thrift.Bool(false))

  private val codecs = Map(
    0 -> CompressionCodecName.UNCOMPRESSED,
    1 -> CompressionCodecName.SNAPPY,
    2 -> CompressionCodecName.GZIP,
    6 -> CompressionCodecName.ZSTD,
    7 -> CompressionCodecName.LZ4_RAW
  )

  private val factory = new CodecFactory(new Configuration(), 1 << 16)

  private def decompressed(codec: CompressionCodecName, bytes: Array[Byte], size: Int) =
    inArray(factory.getDecompressor(codec).decompress(BytesInput.from(bytes), size))

  /** @param codec its number in Parquet's metadata */
  def compressed(codec: Int, bytes: Array[Byte]): Array[Byte] = compressed(codecs(codec), bytes)

  private def compressed(codec: CompressionCodecName, bytes: Array[Byte]) =
    inArray(factory.getCompressor(codec).compress(BytesInput.from(bytes)))

  private def inArray(bytes: BytesInput): Array[Byte] = {
    val out = new ByteArrayOutputStream
    bytes.writeAllTo(out)
    out.toByteArray
  }
}
