// SPDX-License-Identifier: Apache-2.0
package latebloom.toprows

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import latebloom.read.selection.LiveRows

/** Rows of files by their numbers.
  *
  * @param byFile
  *   the numbers in each file, ascending and distinct; None for all rows of the file. By the path
  *   of the file as Spark's column `_metadata.file_path` has it
  */
final private[latebloom] class RowsOfFiles private (byFile: Map[String, Option[Array[Long]]])
    extends Serializable {

  def files: Iterable[String] = byFile.keys

  /** The rows of a file. */
  def of(file: String): LiveRows =
    byFile.getOrElse(file, RowsOfFiles.none).fold(LiveRows.ALL)(LiveRows.only(_))

  /** Whether no row of a file is among them. */
  def exclude(file: String): Boolean = !byFile.contains(file)

  def serialize(): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(bytes)
    out.writeInt(byFile.size)
    byFile.foreach { case (file, rows) =>
      val path = file.getBytes("UTF-8")
      out.writeInt(path.length)
      out.write(path)
      out.writeInt(rows.fold(-1)(_.length))
      rows.foreach(_.foreach(out.writeLong))
    }
    bytes.toByteArray
  }
}

private[latebloom] object RowsOfFiles {
  private val none = Some(Array.empty[Long])

  /** @param rows
    *   a file and a number in it, or None if it is not known, each
    */
  def apply(rows: Iterable[(String, Option[Long])]): RowsOfFiles =
    new RowsOfFiles(rows.groupBy(_._1).map { case (file, ofFile) =>
      val numbers = ofFile.map(_._2).toArray
      file -> (if (numbers.contains(None)) None else Some(numbers.flatten.distinct.sorted))
    })

  def deserialize(bytes: Array[Byte]): RowsOfFiles = {
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    new RowsOfFiles(Seq.fill(in.readInt()) {
      val path = new Array[Byte](in.readInt())
      in.readFully(path)
      val n = in.readInt()
      new String(path, "UTF-8") -> (if (n < 0) None else Some(Array.fill(n)(in.readLong())))
    }.toMap)
  }
}
