// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page

import java.io.IOException

import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.format.Encoding
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.metadata.CompressionCodecName._
import org.apache.parquet.internal.hadoop.metadata.IndexReference
import org.scalatest.funsuite.AnyFunSuite

import latebloom.parquet.HandMadeChunk
import latebloom.parquet.encoding.{Bytes, CorruptPageException}
import latebloom.parquet.flat.FlatPage
import latebloom.read.selection.Selection
import latebloom.read.task.{Counters, ScanMemory}

/** Pages whose headers claim impossible or rare sizes and counts. */
class PageReaderSuite extends AnyFunSuite {
  private val most = Int.MaxValue

  private def withReader[A](body: PageReader => A): A = {
    val decompressor = new Decompressor(new CodecFactory(new Configuration(), 1024))
    try body(new PageReader(decompressor, false, new ScanMemory(new Counters)))
    finally decompressor.close()
  }

  private def varint(n: Long): Array[Byte] =
    if (n < 128) Array(n.toByte) else (n & 127 | 128).toByte +: varint(n >>> 7)

  private def little(n: Int): Array[Byte] = Array.tabulate(4)(i => (n >>> 8 * i).toByte)

  /** A body that begins as a stream of so many bytes does where the codec says how many. */
  private def body(codec: CompressionCodecName, claimed: Int, length: Int): Array[Byte] = {
    val bytes = new Array[Byte](length)
    new Random(claimed).nextBytes(bytes)
    val head = if (codec == SNAPPY) varint(claimed.toLong) else Array.empty[Byte]
    head ++ bytes.drop(head.length)
  }

  for {
    codec <- Seq(SNAPPY, GZIP, ZSTD, LZ4_RAW, LZ4)
    fresh <- Seq(true, false)
  } test(
    s"$codec: no page is as large as an int can say, ${if (fresh) "alone" else "among others"}"
  ) {
    for {
      claimed <- Seq(most, most - 6, most - 7, most - 8, most - 15)
      length <- Seq(20, 1000)
    } withReader { reader =>
      val made = HandMadeChunk.page(1, Encoding.PLAIN, body(codec, claimed, length), claimed)
      val chunk = HandMadeChunk.of("required int64 c", codec, 1, 1, made)
      val buffer = if (fresh) null else reader.takeBuffer()
      val error = intercept[CorruptPageException](reader.read(chunk, 0, buffer))
      val message = error.getMessage
      assert(message.contains(HandMadeChunk.Name) && message.contains("row group 3"))
      assert(message.contains("column c") && message.contains("page 0"))
    }
  }

  test("a claim beyond the longest array is refused before any allocation") {
    // Long enough for so much to be in it.
    val compressed = new Array[Byte](1 << 17)
    for (claimed <- Seq(most, most - 8, most - 15)) withReader { reader =>
      val made = HandMadeChunk.page(1, Encoding.PLAIN, compressed, claimed)
      val chunk = HandMadeChunk.of("required int64 c", ZSTD, 1, 1, made)
      val error = intercept[CorruptPageException](reader.read(chunk, 0, reader.takeBuffer()))
      assert(error.getMessage.contains(s"a page of ${claimed + 8L} bytes"))
    }
  }

  test("a native decompressor is not called for more bytes than its array has") {
    withReader { _ =>
      val decompressor = new Decompressor(new CodecFactory(new Configuration(), 1024))
      val from = new Bytes(body(SNAPPY, 100, 50), 0, 50)
      for ((at, size) <- Seq((0, 100), (60, 40), (-1, 10), (0, -1), (most, most))) {
        intercept[IndexOutOfBoundsException] {
          decompressor.decompress(SNAPPY, from, new Array[Byte](99), at, size)
        }
      }
    }
  }

  test("levels of any claimed length are within the page or an error") {
    withReader { reader =>
      for (length <- Seq(-1, most, most - 3, 7)) {
        val made =
          HandMadeChunk.page(9, Encoding.PLAIN, little(length) ++ new Array[Byte](6), 10)
        val chunk = HandMadeChunk.of("optional int64 c", UNCOMPRESSED, 9, 9, made)
        val error = intercept[CorruptPageException](FlatPage.read(chunk, 0, reader, null))
        assert(error.getMessage.contains(s"a part of $length bytes"))
      }
    }
  }

  test("a page may have as many rows as an int can count") {
    // The first has a value, all others are null; a run is padded to eights.
    val levels = varint(1 << 1) ++ Array[Byte](1) ++ varint((most - 1L) << 1) ++ Array[Byte](0)
    val body = little(levels.length) ++ levels ++ new Array[Byte](8)
    val made = HandMadeChunk.page(most, Encoding.PLAIN, body, body.length)
    val chunk = HandMadeChunk.of("optional int64 c", UNCOMPRESSED, most.toLong, most, made)
    withReader { reader =>
      val valid = FlatPage.read(chunk, 0, reader, null).valid()
      assert(valid.count() == 1 && !valid.isNull(0) && valid.isNull(most - 1))
    }
  }

  test("headers and indexes claim no more elements than there are bytes, and no endless depth") {
    // An offset index whose first field is a list of 2^31 - 1 structures.
    val list = Array[Byte](0x19, 0xfc.toByte) ++ varint(most.toLong)
    intercept[IOException](ThriftReader.offsetIndex(new Bytes(list, 0, list.length)))
    // An unknown field that is a structure whose first field is a structure, and so on.
    val deep = Array.fill[Byte](1 << 20)(0x7c)
    intercept[IOException](ThriftReader.offsetIndex(new Bytes(deep, 0, deep.length)))
    intercept[IOException](ThriftReader.pageHeader(new Bytes(deep, 0, deep.length)))
  }

  test("an index outside the file is not requested") {
    val made = HandMadeChunk.page(1, Encoding.PLAIN, new Array[Byte](8), 8)
    for {
      (offset, length) <- Seq(4L -> 20, 3L -> -1, -5L -> 9, 1000000L -> 8, Long.MaxValue -> 8)
    } {
      val chunk = HandMadeChunk.of("required int64 c", UNCOMPRESSED, 1, 1, made)
      chunk.meta.setOffsetIndexReference(new IndexReference(offset, length))
      assert(chunk.liesInFile(chunk.meta.getOffsetIndexReference) == (offset == 4))
    }
  }

  test("Spark's reader gets no dictionary with more entries than the page has bytes") {
    withReader { reader =>
      for (claimed <- Seq(-1, 25, most)) {
        val chunk = HandMadeChunk.of(
          "required int64 c",
          UNCOMPRESSED,
          1,
          1,
          HandMadeChunk.dictionary(claimed, new Array[Byte](24), 24),
          HandMadeChunk.page(1, Encoding.RLE_DICTIONARY, Array[Byte](1, 2, 0), 3)
        )
        val chunks = java.util.Map.of(chunk.meta.getPath, chunk)
        val pages = new SelectedPages(chunks, Selection.all(1), 0, reader)
        val error = intercept[CorruptPageException] {
          pages.getPageReader(chunk.descriptor).readDictionaryPage()
        }
        assert(error.getMessage.contains(s"dictionary page: a dictionary of $claimed entries"))
      }
    }
  }
}
