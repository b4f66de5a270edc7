// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet

import java.nio.file.Files

import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName.{SNAPPY, UNCOMPRESSED}
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.types._

import latebloom.read.task.Counters
import latebloom.read.{ScanSpecs, Scribble}

class ReusedArraysSuite extends AnyFunSuite {
  private val batchRows = 4096
  private val batches = 74
  // The last batch is large enough to be handed out as it is, in codes.
  private val rows = batches * batchRows - 500
  private val message =
    MessageTypeParser.parseMessageType(
      "message m { required binary s (STRING); optional int32 i; }"
    )
  private val schema =
    StructType(Seq(StructField("s", StringType), StructField("i", IntegerType)))

  // A large dictionary, with entries of which nobody has a copy before the last batch.
  private def text(row: Int) =
    s"${if (row > rows - 500) "late" else "text"} ${row % 300} ${"." * 1000}"

  Seq(UNCOMPRESSED, SNAPPY).foreach { codec =>
    test(s"a batch refers to no fetched array of its row group, $codec") {
      val path = new Path(Files.createTempDirectory("reused").resolve("f.parquet").toUri)
      val writer = ExampleParquetWriter
        .builder(path)
        .withType(message)
        .withCompressionCodec(codec)
        .build()
      val groups = new SimpleGroupFactory(message)
      try {
        for (r <- 0 until rows) {
          writer.write(groups.newGroup().append("s", text(r)).append("i", r * 7919))
        }
      } finally writer.close()

      val spec = ScanSpecs.withoutFilters(s"reused $codec", schema, 2, batchRows)
      var seen = 0
      var reused = 0
      val found = FileScan.rows(path, spec, schema, new Counters, offHeap = false) {
        case (v, row, StringType) =>
          if (row == 0) seen += 1
          if (row == 0 && seen == batches) reused = Scribble.overSpareArrays()
          v.getUTF8String(row).toString.take(10)
        case (v, row, _) => v.getInt(row)
      }
      val wrong =
        found.iterator.zipWithIndex.find(f => f._1 != Seq(text(f._2).take(10), f._2 * 7919))
      assert(found.size == rows && wrong.isEmpty)
      assert(seen == batches && reused > 0)
    }
  }
}
