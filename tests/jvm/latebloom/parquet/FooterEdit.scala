// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, File}
import java.nio.file.Files
import java.nio.{ByteBuffer, ByteOrder}

import scala.jdk.CollectionConverters._

import org.apache.parquet.format._

import latebloom.parquet.encoding.Bytes
import latebloom.parquet.page.ThriftReader

/** Parquet files in which a test changes the footer, or bytes that the footer locates. */
object FooterEdit {

  /** The footer in the format's own structures. */
  def read(file: File): FileMetaData = {
    val bytes = Files.readAllBytes(file.toPath)
    val from = footerAt(bytes)
    Util.readFileMetaData(new ByteArrayInputStream(bytes, from, bytes.length - 8 - from))
  }

  /** Writes the file again with another footer; nothing before it moves.
    *
    * @param appended
    *   written behind the data; `edit` is told where
    */
  def change(file: File, appended: Array[Byte] = Array.empty)(
      edit: (FileMetaData, Long) => Unit
  ): Unit = {
    val bytes = Files.readAllBytes(file.toPath)
    val footer = read(file)
    edit(footer, footerAt(bytes).toLong)
    val out = new ByteArrayOutputStream
    out.write(bytes, 0, footerAt(bytes))
    out.write(appended)
    val before = out.size
    Util.writeFileMetaData(footer, out)
    val length = out.size - before
    out.write(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(length).array)
    out.write("PAR1".getBytes)
    overwrite(file, out.toByteArray)
  }

  /** Replaces the offset index of a column's chunks, by the column's path. */
  def changeOffsetIndex(file: File, path: String)(edit: OffsetIndex => Unit): Unit = {
    val bytes = Files.readAllBytes(file.toPath)
    val out = new ByteArrayOutputStream
    val changed = chunks(read(file), path).map { chunk =>
      val from = chunk.getOffset_index_offset.toInt
      val index = Util.readOffsetIndex(
        new ByteArrayInputStream(bytes, from, chunk.getOffset_index_length)
      )
      edit(index)
      val at = out.size
      Util.writeOffsetIndex(index, out)
      (at, out.size - at)
    }
    change(file, out.toByteArray) { (footer, start) =>
      chunks(footer, path).zip(changed).foreach { case (chunk, (at, length)) =>
        chunk.setOffset_index_offset(start + at)
        chunk.setOffset_index_length(length)
      }
    }
  }

  /** The chunks of a column, by its path. */
  def chunks(footer: FileMetaData, path: String): Seq[ColumnChunk] =
    footer.getRow_groups.asScala.toSeq
      .flatMap(_.getColumns.asScala)
      .filter(_.getMeta_data.getPath_in_schema.asScala.mkString(".") == path)

  /** Changes bytes in place. */
  def patch(file: File, at: Int, bytes: Array[Byte]): Unit = {
    val all = Files.readAllBytes(file.toPath)
    System.arraycopy(bytes, 0, all, at, bytes.length)
    overwrite(file, all)
  }

  /** The columns of all row groups that have this name. */
  def columns(footer: FileMetaData, name: String): Seq[ColumnMetaData] =
    chunks(footer, name).map(_.getMeta_data)

  /** The start of the body of the page at `offset`. */
  def bodyAt(file: File, offset: Long): Int = {
    val bytes = Files.readAllBytes(file.toPath)
    val from = offset.toInt
    from + ThriftReader.pageHeader(new Bytes(bytes, from, bytes.length - from)).length
  }

  private def footerAt(bytes: Array[Byte]): Int = bytes.length - 8 -
    ByteBuffer.wrap(bytes, bytes.length - 8, 4).order(ByteOrder.LITTLE_ENDIAN).getInt

  private def overwrite(file: File, bytes: Array[Byte]): Unit = {
    Files.write(file.toPath, bytes)
    // Written by Hadoop, the file has a checksum beside it.
    Files.deleteIfExists(file.toPath.resolveSibling(s".${file.getName}.crc"))
  }
}
