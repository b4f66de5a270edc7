// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import java.io._
import java.nio.charset.StandardCharsets.ISO_8859_1

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile

import latebloom.line.Build

class ReadFileSuite extends AnyFunSuite {
  import ReadFileSuite._

  private def serialized(read: ReadFile): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(read)
    out.close()
    bytes.toByteArray
  }

  private def deserialized(bytes: Array[Byte]): ReadFile =
    new ObjectInputStream(new ByteArrayInputStream(bytes)).readObject().asInstanceOf[ReadFile]

  /** The bytes with a text in place of another one of its length. */
  private def replaced(bytes: Array[Byte], text: String, by: String): Array[Byte] = {
    val chars = new String(bytes, ISO_8859_1)
    assert(chars.indexOf(text) >= 0 && text.length == by.length)
    chars.replace(text, by).getBytes(ISO_8859_1)
  }

  test("the build has a version, its lines, and a digest of its sources") {
    val line = SPARK_VERSION.split('.').take(2).mkString("\\.")
    val pattern =
      s"\\d+\\.\\d+\\.\\d+\\S* for Spark $line, Scala 2\\.1[23] \\(sources [0-9a-f]{12}\\)"
    assert(Build.id.matches(pattern), Build.id)
  }

  test("an executor of the driver's build reads as the driver says") {
    val read = deserialized(serialized(ReadFile(new OneRow)))
    assert(read(null).map(_.numFields).toSeq == Seq(0))
  }

  test("an executor of another build says so, with both and the remedy") {
    val other = Build.id.map(c => if (c.isDigit) '7' else c)
    val error = intercept[InvalidObjectException] {
      deserialized(replaced(serialized(ReadFile(new OneRow)), Build.id, other))
    }
    assert(error.getMessage.contains(s"the driver runs LateBloom $other, and this"))
    assert(error.getMessage.contains(s"this executor LateBloom ${Build.id} from file:"))
    assert(error.getMessage.contains("--jars"))
  }

  test("an executor without LateBloom misses this class") {
    val bytes = serialized(ReadFile(new OneRow))
    val name = classOf[ReadFile].getName
    val missing = name.replace("Read", "Lost")
    val error = intercept[ClassNotFoundException](deserialized(replaced(bytes, name, missing)))
    assert(error.getMessage == missing)
  }

  test("another build is refused before a class is looked for that it may lack") {
    val bytes = serialized(ReadFile(new OneRow))
    val name = classOf[OneRow].getName
    val unknown = name.replace("OneRow", "NoRows")
    intercept[ClassNotFoundException](deserialized(replaced(bytes, name, unknown)))
    val other = Build.id.map(c => if (c.isDigit) '7' else c)
    intercept[InvalidObjectException] {
      deserialized(replaced(replaced(bytes, name, unknown), Build.id, other))
    }
  }
}

private object ReadFileSuite {
  final class OneRow extends (PartitionedFile => Iterator[InternalRow]) with Serializable {
    override def apply(file: PartitionedFile): Iterator[InternalRow] = Iterator(InternalRow.empty)
  }
}
