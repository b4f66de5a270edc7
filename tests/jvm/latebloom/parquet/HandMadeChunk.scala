// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet

import java.io.ByteArrayOutputStream

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.EncodingStats
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.format.{ColumnChunk => _, Statistics => _, _}
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ColumnPath, CompressionCodecName}
import org.apache.parquet.schema.MessageTypeParser

import latebloom.parquet.page.{ColumnChunk, ColumnPlace}
import latebloom.read.task.Counters

/** A column chunk of pages with arbitrary headers. */
object HandMadeChunk {
  val Name = "made by hand"

  /** A data page of version 1 and its body.
    *
    * @param size
    *   bytes of the body before compression, as the header claims
    */
  def page(
      values: Int,
      encoding: Encoding,
      body: Array[Byte],
      size: Int
  ): Array[Byte] = {
    val header = new PageHeader(PageType.DATA_PAGE, size, body.length)
    header.setData_page_header(new DataPageHeader(values, encoding, Encoding.RLE, Encoding.RLE))
    bytes(header) ++ body
  }

  def dictionary(values: Int, body: Array[Byte], size: Int): Array[Byte] = {
    val header = new PageHeader(PageType.DICTIONARY_PAGE, size, body.length)
    header.setDictionary_page_header(new DictionaryPageHeader(values, Encoding.PLAIN))
    bytes(header) ++ body
  }

  private def bytes(header: PageHeader): Array[Byte] = {
    val out = new ByteArrayOutputStream
    Util.writePageHeader(header, out)
    out.toByteArray
  }

  /** A chunk that was fetched whole.
    *
    * @param column
    *   as a schema declares it
    * @param values
    *   as the footer claims
    */
  def of(
      column: String,
      codec: CompressionCodecName,
      values: Long,
      rows: Int,
      pages: Array[Byte]*
  ): ColumnChunk = of(column, codec, values, rows, chainsPages = false, pages: _*)

  /** A chunk whose writer may have made strings that build on the page before. */
  def of(
      column: String,
      codec: CompressionCodecName,
      values: Long,
      rows: Int,
      chainsPages: Boolean,
      pages: Array[Byte]*
  ): ColumnChunk = {
    val schema = MessageTypeParser.parseMessageType(s"message m { $column; }")
    val descriptor = schema.getColumns.get(0)
    val all = pages.toArray.flatten
    val meta = ColumnChunkMetaData.get(
      ColumnPath.get(descriptor.getPath: _*),
      descriptor.getPrimitiveType,
      codec,
      new EncodingStats.Builder().build(),
      Set.empty[org.apache.parquet.column.Encoding].asJava,
      Statistics.createStats(descriptor.getPrimitiveType),
      4,
      0,
      values,
      all.length,
      Int.MaxValue
    )
    val place = new ColumnPlace(Name, 3, descriptor.getPath.mkString("."))
    val chunk =
      new ColumnChunk(place, descriptor, meta, rows, 4L + all.length, chainsPages, new Counters)
    chunk.wholeRange().receiver().accept(all, 0, all.length)
    chunk
  }
}
