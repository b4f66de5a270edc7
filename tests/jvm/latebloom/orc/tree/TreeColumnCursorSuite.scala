// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.tree

import java.io.File

import org.apache.orc.OrcProto.Stream.Kind

import org.apache.spark.sql.DataFrame

import latebloom.orc.OrcSurgery.Changes
import latebloom.orc.{OrcSurgery, RewrittenOrc}

/** Columns that orc-core's own reader decodes, a few rows at a time. */
class TreeColumnCursorSuite extends RewrittenOrc {

  private def withRows(count: Long, columns: String, compression: String = "none")(
      change: File => Unit
  )(body: DataFrame => Unit): Unit = withTempPath { dir =>
    spark.range(0, count, 1, 1).selectExpr("id", columns)
      .write
      .option("compression", compression)
      .orc(dir.getPath)
    val file = dir.listFiles.filter(_.getName.endsWith(".orc")).head
    new File(dir, s".${file.getName}.crc").delete()
    change(file)
    body(spark.read.orc(dir.getPath))
  }

  private def failure(query: => DataFrame): String = {
    val error = intercept[Exception](query.collect())
    Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).map(_.getMessage)
      .mkString("\n")
  }

  test("lists of more elements than their streams hold are refused before any is read") {
    // A run of ten lengths of 500,000, in three bytes each.
    val long = Array(0x17, 0x07, 0xa1, 0x20).map(_.toByte)
    def claim(file: File): Unit = OrcSurgery.rewrite(
      file,
      Changes(data =
        (stream, bytes) =>
          if (stream.getColumn == 2 && stream.getKind == Kind.LENGTH) {
            assert(bytes.toSeq == Seq[Byte](0x07, 4))
            long
          } else bytes
      )
    )
    val four = "sequence(1, 4)"
    for (
      column <- Seq(
        four,
        s"transform($four, x -> x % 3 = id)",
        s"transform($four, x -> cast(x + id as string))",
        s"transform($four, x -> if(x = id, null, x))",
        s"transform($four, x -> cast(x as double))",
        s"transform($four, x -> named_struct('x', x + id))",
        s"transform($four, x -> if(x = id, null, named_struct('x', x)))",
        s"transform($four, x -> array(x))",
        s"map_from_arrays($four, $four)"
      )
    ) withRows(10, s"$column c")(claim) { read =>
      def query = read.where("id < 1")
      assert(lateScans(query).nonEmpty)
      off(failure(query))
      val said = failure(query)
      assert(said.contains("elements, where their streams can hold fewer"), s"$column: $said")
      assert(said.contains(".orc"))
    }
  }

  test("lists of as many elements as bytes can hold are read") {
    for (
      column <- Seq(
        "array_repeat(cast(null as int), 300000)",
        "array_repeat(true, 300000)",
        "array_repeat(7, 300000)",
        "array_repeat(cast(7 as byte), 300000)",
        "array_repeat('', 300000)",
        "array_repeat('word', 300000)",
        "array_repeat(date'2024-02-29', 300000)",
        "array_repeat(timestamp'2024-02-29 12:00:00', 300000)",
        "array_repeat(cast(7.5 as decimal(9, 2)), 300000)",
        "array_repeat(cast(null as struct<x: int>), 300000)",
        "array_repeat(named_struct('x', cast(null as int), 'y', 1), 300000)",
        "array_repeat(array(cast(null as int)), 300000)",
        "array_repeat(cast(array() as array<int>), 300000)",
        "map_from_arrays(sequence(1, 100000), array_repeat(cast(null as string), 100000))"
      );
      compression <- Seq("none", "zlib")
    ) withRows(3, s"$column c", compression)(_ => ()) { read =>
      check(read.where("id <> 1").selectExpr("id", "size(c)", "c[7]", "c[99999]"))
    }
  }
}
