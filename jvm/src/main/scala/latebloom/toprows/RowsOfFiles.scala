// SPDX-License-Identifier: Apache-2.0
package latebloom.toprows

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import latebloom.read.selection.LiveRows

/** Where a row is stored.
  *
  * @param file
  *   the path as Spark's column `_metadata.file_path` has it
  * @param number
  *   of the row in its file, from 0; None if it is not known
  * @param split
  *   first byte and length of the part of the file that the task read which found the row; None if
  *   that is not known
  */
final private[latebloom] case class StoredRow(
    file: String,
    number: Option[Long],
    split: Option[(Long, Long)]
)

/** Rows of files by their numbers. */
final private[latebloom] class RowsOfFiles private (byFile: Map[String, RowsOfFiles.OfFile])
    extends Serializable {

  def files: Iterable[String] = byFile.keys

  /** The rows of a file. */
  def of(file: String): LiveRows =
    byFile.get(file).fold(RowsOfFiles.none)(_.numbers.fold(LiveRows.ALL)(LiveRows.only(_)))

  /** Whether no row of a file is among them. */
  def exclude(file: String): Boolean = !byFile.contains(file)

  /** Whether no row of a split is among them. A reader decides by one byte of a row group or stripe
    * to which split it belongs, whatever the splits: its rows can only be in a split that has a
    * byte in common with the one in which they were found.
    *
    * @param start
    *   the first byte of the split
    */
  def exclude(file: String, start: Long, length: Long): Boolean =
    byFile.get(file).forall(_.splits.exists(_.forall { case (from, count) =>
      start >= from + count || from >= start + length
    }))

  def serialize(): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(bytes)
    def write(numbers: Option[Iterable[Long]]): Unit = {
      out.writeInt(numbers.fold(-1)(_.size))
      numbers.foreach(_.foreach(out.writeLong))
    }
    out.writeInt(byFile.size)
    byFile.foreach { case (file, rows) =>
      val path = file.getBytes("UTF-8")
      out.writeInt(path.length)
      out.write(path)
      write(rows.numbers.map(_.toSeq))
      write(rows.splits.map(_.flatMap { case (start, length) => Seq(start, length) }))
    }
    bytes.toByteArray
  }
}

private[latebloom] object RowsOfFiles {
  private val none = LiveRows.only(Array.empty)

  /** Rows of one file.
    *
    * @param numbers
    *   ascending and distinct; None for all rows
    * @param splits
    *   those that have the rows; None if they are not known
    */
  final private case class OfFile(
      numbers: Option[Array[Long]],
      splits: Option[Seq[(Long, Long)]]
  )

  def apply(rows: Iterable[StoredRow]): RowsOfFiles =
    new RowsOfFiles(rows.groupBy(_.file).map { case (file, ofFile) =>
      val numbers = all(ofFile.map(_.number)).map(_.toArray.distinct.sorted)
      file -> OfFile(numbers, all(ofFile.map(_.split)).map(_.toSeq.distinct))
    })

  /** The values if all are known. */
  private def all[A](values: Iterable[Option[A]]): Option[Iterable[A]] =
    if (values.forall(_.isDefined)) Some(values.flatten) else None

  def deserialize(bytes: Array[Byte]): RowsOfFiles = {
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    def read() = {
      val n = in.readInt()
      if (n < 0) None else Some(Array.fill(n)(in.readLong()))
    }
    new RowsOfFiles(Seq.fill(in.readInt()) {
      val path = new Array[Byte](in.readInt())
      in.readFully(path)
      val numbers = read()
      // A list: in Scala 2.12 a sequence of an iterator holds it, and cannot be sent to tasks.
      val splits = read().map(_.grouped(2).map { case Array(start, length) =>
        (start, length)
      }.toList)
      new String(path, "UTF-8") -> OfFile(numbers, splits)
    }.toMap)
  }
}
