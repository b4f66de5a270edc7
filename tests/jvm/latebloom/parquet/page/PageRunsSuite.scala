// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.{BytesInput, HeapByteBufferAllocator}
import org.apache.parquet.column.page.DataPage
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForInteger
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesWriter
import org.apache.parquet.format.Encoding
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.{ColumnPath, CompressionCodecName}
import org.apache.parquet.io.api.Binary
import org.scalatest.funsuite.AnyFunSuite

import latebloom.parquet.HandMadeChunk
import latebloom.parquet.encoding.CorruptPageException
import latebloom.read.selection.Selection
import latebloom.read.task.{Counters, ScanMemory}

/** Pages that end before Spark's reader has what it asks for: it would ask for ever. */
class PageRunsSuite extends AnyFunSuite {
  private val flat = "optional binary c"

  /** A page of eight rows as Spark's reader is given it, if three of them are read or all. */
  private def pageOf(
      column: String,
      values: Int,
      encoding: Encoding,
      body: Array[Byte],
      rows: Selection = Selection.all(8)
  ): DataPage = {
    val decompressor = new Decompressor(new CodecFactory(new Configuration(), 1024))
    try {
      val page = HandMadeChunk.page(values, encoding, body, body.length)
      val chunk =
        HandMadeChunk.of(column, CompressionCodecName.UNCOMPRESSED, values.toLong, 8, page)
      val path = ColumnPath.get(chunk.descriptor.getPath: _*)
      val reader = new PageReader(decompressor, false, new ScanMemory(new Counters))
      new SelectedPages(java.util.Map.of(path, chunk), rows, 0, reader)
        .getPageReader(chunk.descriptor).readPage()
    } finally decompressor.close()
  }

  private def framed(bytes: Int*): Array[Byte] =
    Array(bytes.length, 0, 0, 0).map(_.toByte) ++ bytes.map(_.toByte)

  private def bytes(values: Int*): Array[Byte] = values.map(_.toByte).toArray

  /** Levels 1 of eight rows, a run of three of them, one of the rest and one of none at all. */
  private val ones = framed(3 << 1, 1, 5 << 1, 1, 0, 1)

  private def refused(column: String, values: Int, encoding: Encoding, body: Array[Byte]): String =
    intercept[CorruptPageException](pageOf(column, values, encoding, body)).getMessage

  test("levels that end too early are an error that says where") {
    for (
      (levels, message) <- Seq(
        framed(3 << 1, 1) -> "3 definition levels, where 8 are read",
        framed() -> "0 definition levels, where 8 are read",
        framed(3 << 1, 1, 0, 1) -> "3 definition levels, where 8 are read",
        // More than an int counts: Spark's reader goes backwards.
        framed(0x81, 0x80, 0x80, 0x80, 0x0a) -> "a run of 10737418240 values in 0 bytes",
        framed(0x81) -> "a run that ends within its header"
      )
    ) {
      val said = refused(flat, 8, Encoding.PLAIN, levels ++ new Array[Byte](80))
      assert(said.contains(message) && said.contains("row group 3, column c, page 0"))
    }
    val list = "repeated int32 c"
    val whole = framed(1 << 1 | 1, 0)
    assert(refused(list, 8, Encoding.PLAIN, framed(3 << 1, 0) ++ whole)
      .contains("3 repetition levels, where 8 are read"))
    assert(refused(list, 8, Encoding.PLAIN, whole ++ framed(3 << 1, 0))
      .contains("3 definition levels, where 8 are read"))
  }

  test("codes, and booleans in runs, that end too early are so, too") {
    // Two of the eight rows are null.
    val six = framed(1 << 1 | 1, 0xfc)
    for (encoding <- Seq(Encoding.RLE_DICTIONARY, Encoding.PLAIN_DICTIONARY)) {
      assert(refused(flat, 8, encoding, six ++ bytes(3, 5 << 1, 1))
        .contains("5 codes for 6 values"))
      pageOf(flat, 8, encoding, six ++ bytes(3, 6 << 1, 1))
      pageOf(flat, 8, encoding, six ++ bytes(0))
    }
    assert(refused("optional boolean c", 8, Encoding.RLE, six ++ framed(5 << 1, 1))
      .contains("5 codes for 6 values"))
    pageOf("optional boolean c", 8, Encoding.RLE, six ++ framed(6 << 1, 1))
    assert(refused("required binary c", 8, Encoding.RLE_DICTIONARY, bytes(3, 5 << 1, 1))
      .contains("5 codes for 8 values"))
  }

  test("a page that has what is asked for is given to Spark's reader") {
    pageOf(flat, 8, Encoding.PLAIN, ones ++ new Array[Byte](80))
    // Of values behind the last row, and of rows that nobody wants, nobody asks for a level.
    pageOf(flat, 11, Encoding.PLAIN, ones ++ new Array[Byte](80))
    val some = Selection.ofRuns(8, Array(0, 2), Array(1, 3))
    pageOf(flat, 8, Encoding.PLAIN, framed(3 << 1, 1), some)
    intercept[CorruptPageException](pageOf(flat, 8, Encoding.PLAIN, framed(2 << 1, 1), some))
  }

  /** A DELTA_BYTE_ARRAY page of strings that share so many bytes with the one before. */
  private def deltas(strings: (Int, String)*): Array[Byte] = {
    val heap = HeapByteBufferAllocator.getInstance
    val prefixes = new DeltaBinaryPackingValuesWriterForInteger(128, 4, 64, 1 << 20, heap)
    val suffixes = new DeltaLengthByteArrayValuesWriter(64, 1 << 20, heap)
    strings.foreach { case (shared, rest) =>
      prefixes.writeInteger(shared)
      suffixes.writeBytes(Binary.fromString(rest))
    }
    BytesInput.concat(prefixes.getBytes, suffixes.getBytes).toInputStream.readAllBytes
  }

  test("a string that shares more bytes than the one before has is an error that says where") {
    val column = "required binary c"
    def page(third: Int, first: Int = 0) = deltas(
      Seq(first -> "axle", 2 -> "is", third -> "e") ++ Seq.fill(5)(1 -> "b"): _*
    )
    pageOf(column, 8, Encoding.DELTA_BYTE_ARRAY, page(4))
    for ((body, message) <- Seq(page(5) -> "5 bytes with one of 4", page(4, 1) -> "1 bytes with"))
      assert(refused(column, 8, Encoding.DELTA_BYTE_ARRAY, body).contains(message))
    // Of strings behind the last wanted row nobody asks for one.
    pageOf(column, 8, Encoding.DELTA_BYTE_ARRAY, page(5), Selection.ofRuns(8, Array(0), Array(2)))
    // Two of the eight rows are null.
    val nulls = framed(1 << 1 | 1, 0xfc)
    val six = deltas((0 -> "axle") +: Seq.fill(5)(1 -> "b"): _*)
    pageOf(flat, 8, Encoding.DELTA_BYTE_ARRAY, nulls ++ six)
  }

  test("a string may build on the page before where an old writer made it so") {
    val column = "required binary c"
    def bodies(shared: Int) = Seq(
      deltas(Seq.fill(3)(0 -> "axle"): _*),
      deltas((shared -> "is") +: Seq.fill(4)(1 -> "b"): _*)
    )
    def read(shared: Int, chains: Boolean): Seq[DataPage] = {
      val decompressor = new Decompressor(new CodecFactory(new Configuration(), 1024))
      try {
        val pages = bodies(shared).zip(Seq(3, 5)).map { case (body, n) =>
          HandMadeChunk.page(n, Encoding.DELTA_BYTE_ARRAY, body, body.length)
        }
        val chunk =
          HandMadeChunk.of(column, CompressionCodecName.UNCOMPRESSED, 8, 8, chains, pages: _*)
        val path = ColumnPath.get(chunk.descriptor.getPath: _*)
        val reader = new PageReader(decompressor, false, new ScanMemory(new Counters))
        val leaf = new SelectedPages(java.util.Map.of(path, chunk), Selection.all(8), 0, reader)
          .getPageReader(chunk.descriptor)
        Seq.fill(2)(leaf.readPage())
      } finally decompressor.close()
    }
    read(4, chains = true)
    for ((shared, chains) <- Seq(5 -> true, 4 -> false)) {
      val said = intercept[CorruptPageException](read(shared, chains)).getMessage
      assert(said.contains(s"shares $shared bytes") && said.contains("column c, page 1"))
    }
  }
}
