// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet

import java.io.RandomAccessFile
import java.nio.file.{Files, Path => File}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.metadata.CompressionCodecName.{GZIP, ZSTD}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.types._

import latebloom.read.{ColumnPredicate, Counters, LongRanges, ScanFilter, ScanSpec}

/** Of a page whose first rows are wanted the rest is not decompressed: here it is damaged. */
class PageHeadSuite extends AnyFunSuite {
  private val rows = 100000
  private val schema = StructType(Seq(
    StructField("id", LongType),
    StructField("full", DoubleType),
    StructField("some", FloatType)
  ))

  // Of types that both versions of the format write PLAIN.
  private def full(row: Int): Double = row * 1.37
  private def some(row: Int): Any = if (row % 5 == 2) null else row * 7.9f

  private def write(codec: CompressionCodecName, version: WriterVersion): Path = {
    val message = MessageTypeParser.parseMessageType(
      "message m { required int64 id; required double full; optional float some; }"
    )
    val path = new Path(Files.createTempDirectory("heads").resolve("f.parquet").toUri)
    val writer = ExampleParquetWriter
      .builder(path)
      .withType(message)
      .withCompressionCodec(codec)
      .withWriterVersion(version)
      .withDictionaryEncoding(false)
      .withPageWriteChecksumEnabled(false)
      .withPageRowCountLimit(rows)
      .withPageSize(64 << 20)
      .build()
    val groups = new SimpleGroupFactory(message)
    try (0 until rows).foreach { r =>
        val group = groups.newGroup().append("id", r.toLong).append("full", full(r))
        Option(some(r)).foreach(v => group.append("some", v.asInstanceOf[Float]))
        writer.write(group)
      }
    finally writer.close()
    path
  }

  /** Overwrites what the columns `full` and `some` have at the end. */
  private def damage(path: Path): Unit = {
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(path, new Configuration()))
    val chunks =
      try reader.getFooter.getBlocks.asScala.flatMap(_.getColumns.asScala.tail).toSeq
      finally reader.close()
    val file = new RandomAccessFile(File.of(path.toUri).toFile, "rw")
    try chunks.foreach { c =>
        file.seek(c.getStartingPos + c.getTotalSize - 2000)
        file.write(Array.fill[Byte](2000)(-1))
      }
    finally file.close()
    Files.delete(File.of(path.toUri).resolveSibling(s".${path.getName}.crc"))
  }

  private def select(path: Path, ids: Long*): Seq[Seq[Any]] = {
    val filter = new ScanFilter.OneColumn(
      2,
      1,
      new ColumnPredicate.Longs(false, LongRanges.ofPoints(ids: _*)),
      "id"
    )
    val spec = new ScanSpec(
      s"heads $path",
      StructType(Seq(schema("full"), schema("some"), schema("id"))),
      2,
      java.util.List.of(),
      java.util.List.of(),
      java.util.List.of(filter),
      1,
      null,
      new ScanSpec.Options(0, 0, 1.0, 4096)
    )
    FileScan.rows(path, spec, schema, new Counters, offHeap = false) {
      case (v, row, _) if v.isNullAt(row) => null
      case (v, row, DoubleType)           => v.getDouble(row)
      case (v, row, _)                    => v.getFloat(row)
    }
  }

  private def expected(ids: Long*): Seq[Seq[Any]] =
    ids.map(id => Seq(full(id.toInt), some(id.toInt)))

  for {
    codec <- Seq(ZSTD, GZIP)
    version <- Seq(WriterVersion.PARQUET_1_0, WriterVersion.PARQUET_2_0)
  } test(s"the end of a page that nobody wants is not decompressed, $codec, $version") {
    val path = write(codec, version)
    val early = Seq(0L, 2L, 3L, 40000L, 41234L)
    assert(select(path, rows - 1L) == expected(rows - 1L))
    damage(path)
    assert(select(path, early: _*) == expected(early: _*))
    intercept[CorruptPageException](select(path, early :+ (rows - 1L): _*))
  }
}
