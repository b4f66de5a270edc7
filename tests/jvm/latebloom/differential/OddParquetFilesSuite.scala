// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import java.io.File
import java.nio.file.Files

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.format
import org.apache.parquet.format.FileMetaData
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.util.HadoopOutputFile
import org.apache.parquet.schema.MessageTypeParser

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.DataFrame

import latebloom.parquet.FooterEdit
import latebloom.{LateBloomTest, LineTest}

/** Parquet files that no writer should write but some do, and damaged files. */
class OddParquetFilesSuite extends LateBloomTest {
  private def table(file: File): DataFrame = spark.read.parquet(file.getPath)

  /** A file of INT32 columns `a`, required, and `b`, optional, in PLAIN pages.
    *
    * @param rows
    *   of the one row group, as its footer says
    * @param pages
    *   how many values each page has; those of `b` are null where odd
    */
  @nowarn("cat=deprecation") // What replaces it asks for more than the footer is to say.
  private def write(file: File, rows: Int, pages: Seq[Int]): Unit = {
    val schema =
      MessageTypeParser.parseMessageType("message m { required int32 a; optional int32 b; }")
    val out = HadoopOutputFile.fromPath(new Path(file.toURI), new Configuration())
    val writer =
      new ParquetFileWriter(out, schema, ParquetFileWriter.Mode.CREATE, 1L << 20, 0)
    writer.start()
    writer.startBlock(rows.toLong)
    for (column <- schema.getColumns.asScala) {
      writer.startColumn(column, pages.sum.toLong, CompressionCodecName.UNCOMPRESSED)
      pages.scanLeft(0)(_ + _).zip(pages).foreach { case (first, n) =>
        val values = (first until first + n).filter(v => column.getPath.head == "a" || v % 2 == 0)
        val levels = if (column.getPath.head == "a") BytesInput.empty() else levelsOf(first, n)
        val body = BytesInput.from(values.flatMap(v => little(v * 10)).toArray)
        val stats: Statistics[_] = Statistics.getBuilderForReading(column.getPrimitiveType).build()
        val all = BytesInput.concat(levels, body)
        writer.writeDataPage(
          n,
          all.size.toInt,
          all,
          stats,
          Encoding.RLE,
          Encoding.RLE,
          Encoding.PLAIN
        )
      }
      writer.endColumn()
    }
    writer.endBlock()
    writer.end(java.util.Map.of())
  }

  private def little(v: Int): Array[Byte] = Array.tabulate(4)(i => (v >>> 8 * i).toByte)

  /** Definition levels of so many values: 1 for even numbers; a run each, behind their length. */
  private def levelsOf(first: Int, n: Int): BytesInput = {
    val runs = (first until first + n).flatMap(v => Seq[Byte](2, ((v + 1) % 2).toByte)).toArray
    BytesInput.from(little(runs.length) ++ runs)
  }

  for {
    (what, pages) <- Seq(
      "on its one page" -> Seq(6),
      "on its last page" -> Seq(2, 4),
      "on pages of their own" -> Seq(3, 1, 3)
    )
  } test(s"of a column with more values than rows, $what, the first are read, as Spark does") {
    withTempPath { file =>
      write(file, 3, pages)
      for (
        condition <-
          Seq("a >= 0", "a > 10", "b is null", "b = 20", "a < 30 and b is not null", "a % 20 = 0")
      ) {
        sameAnswer(table(file).where(condition)) { plan =>
          assert(lateScans(plan).map(_.metrics("rowsFiltered").value).sum < 3)
        }
      }
      assert(table(file).where("a >= 0").count() == 3)
    }
  }

  test("a column with fewer values than rows is corrupt, and the error says where") {
    withTempPath { file =>
      write(file, 7, Seq(3, 1))
      val failure = failedTask(table(file).where("a >= 0").collect())
      val text = chain(failure).map(_.getMessage).mkString("\n")
      assert(text.contains("4 values for 7 rows") && text.contains("column a"))
      assert(LineTest.isFailedRead(failure, file.getName), failure)
    }
  }

  for {
    (what, text, edit) <- Seq[(String, String, FileMetaData => Unit)](
      (
        "a column that is longer than any array",
        "row group 0, column a, page 0: a range of the chunk",
        FooterEdit.columns(_, "a").foreach(_.setTotal_compressed_size(5L << 30))
      ),
      // Spark's reader allocates it first.
      (
        "a column that is longer than the file",
        s"places ${3L << 29} bytes of data at byte 4 of a file of",
        FooterEdit.columns(_, "a").foreach(_.setTotal_compressed_size(3L << 29))
      ),
      (
        "a negative number of values",
        "row group 0, column a, page 0: -3 values",
        FooterEdit.columns(_, "a").foreach(_.setNum_values(-3))
      ),
      (
        "a negative number of rows",
        "row group 0 has -3 rows",
        _.getRow_groups.forEach(g => g.setNum_rows(-3))
      )
    )
  } test(s"of a file with $what it is said that it is corrupt") {
    withTempPath { file =>
      write(file, 3, Seq(3))
      FooterEdit.change(file)((footer, _) => edit(footer))
      val rows = table(file).where("a >= 0")
      assert(lateScans(rows).nonEmpty)
      val failure = failedTask(rows.collect())
      assert(LineTest.isFailedRead(failure, file.getName), failure)
      val said = chain(failure).map(_.getMessage).mkString("\n")
      assert(said.contains(text), said)
    }
  }

  private def chain(e: Throwable): Seq[Throwable] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toSeq

  test("a damaged length in a dictionary of strings is an error of the file, as it is for Spark") {
    for (length <- Seq(-1, 1 << 30, Int.MaxValue)) withTempPath { folder =>
      spark.range(0, 4000, 1, 1)
        .selectExpr("id % 10 as k", "concat('text ', id % 40) as s")
        .write.option("compression", "none").parquet(folder.getPath)
      val file = folder.listFiles.find(_.getName.endsWith(".parquet")).get
      val place = FooterEdit.columns(FooterEdit.read(file), "s").head.getDictionary_page_offset
      // The fourth entry, behind three of six characters.
      FooterEdit.patch(file, FooterEdit.bodyAt(file, place) + 3 * (4 + 6), little(length))
      for (
        query <- Seq[DataFrame => DataFrame](
          // What looks the codes up is above the scan, in it compiled, in it by its bytes.
          _.where("k = 3").selectExpr("upper(s)"),
          _.where("k = 3").selectExpr("s"),
          _.where("length(s) > 3"),
          _.where("s like 'text 1%'"),
          _.where("k = 3 and s > 'text 1'").groupBy("s").count()
        )
      ) {
        val vanilla = off(failedTask(query(table(folder)).collect()))
        val df = query(table(folder))
        assert(lateScans(df).nonEmpty)
        val failure = failedTask(df.collect())
        (failure, vanilla) match {
          case (ours: SparkThrowable, theirs: SparkThrowable) =>
            assert(LineTest.condition(ours) == LineTest.condition(theirs))
          case _ => // Spark 3.5 passes on what its decoder throws.
        }
        assert(LineTest.isFailedRead(failure, file.getName), failure)
        val text = chain(failure).map(_.getMessage).mkString("\n")
        assert(text.contains("row group 0, column s, dictionary page"), text)
      }
    }
  }

  test("pages with other rows than the offset index lists give no row another's entries") {
    // What we decode, and what Spark's reader does.
    for (
      (entries, leaf) <- Seq(
        "xxhash64(id, x)" -> "r.list.element",
        "struct(xxhash64(id, x) as h)" -> "r.list.element.h"
      )
    ) withTempPath { folder =>
      // So many bytes that leaving pages out is worth reading where they lie.
      spark.range(0, 300000, 1, 1)
        .selectExpr("id", s"transform(sequence(0, id % 3), x -> $entries) as r")
        .write.option("parquet.page.row.count.limit", "1000").parquet(folder.getPath)
      val file = folder.listFiles.find(_.getName.endsWith(".parquet")).get
      FooterEdit.changeOffsetIndex(file, leaf) { index =>
        val second = index.getPage_locations.get(1)
        second.setFirst_row_index(second.getFirst_row_index + 1)
      }
      val rows = table(folder).where("id % 150000 = 1200")
      assert(lateScans(rows).nonEmpty)
      val failure = failedTask(rows.collect())
      assert(LineTest.isFailedRead(failure, file.getName), failure)
      val text = chain(failure).map(_.getMessage).mkString("\n")
      assert(
        text.contains(s"column $leaf, page 1: 1000 rows, where the offset index has 999"),
        text
      )
    }
  }

  /** A file of `id` and, in a struct, a string `s` of three and a number. */
  private def writeStructs(folder: File): File = {
    spark.range(0, 400, 1, 1)
      .selectExpr("id", "named_struct('s', concat('text ', id % 3), 'n', id) as st")
      .write.option("compression", "none").parquet(folder.getPath)
    folder.listFiles.find(_.getName.endsWith(".parquet")).get
  }

  test("a code without an entry, which is looked up above the scan, is an error of the file") {
    withTempPath { folder =>
      val file = writeStructs(folder)
      val place = FooterEdit.columns(FooterEdit.read(file), "st.s").head.getData_page_offset
      val body = FooterEdit.bodyAt(file, place)
      val levels = 4 + Files.readAllBytes(file.toPath)(body)
      // Behind the width of codes, two bits, and the header of their run: four times 3.
      FooterEdit.patch(file, body + levels + 1 + 2 + 10, Array(0xff.toByte))
      for (rows <- Seq(table(folder).where("id >= 0"), table(folder).where("id % 2 = 0"))) {
        assert(lateScans(rows).nonEmpty)
        val failure = failedTask(rows.collect())
        assert(LineTest.isFailedRead(failure, file.getName), failure)
      }
      // No row has it that is read.
      sameAnswer(table(folder).where("id < 30"))(plan => assert(lateScans(plan).nonEmpty))
    }
  }

  test("a damaged length in a dictionary that Spark's reader decodes allocates nothing") {
    withTempPath { folder =>
      val file = writeStructs(folder)
      val place = FooterEdit.columns(FooterEdit.read(file), "st.s").head.getDictionary_page_offset
      // The last of three entries of six characters.
      FooterEdit.patch(file, FooterEdit.bodyAt(file, place) + 2 * (4 + 6), little(1 << 29))
      val rows = table(folder).where("id % 3 = 2")
      assert(lateScans(rows).nonEmpty)
      val failure = failedTask(rows.collect())
      assert(LineTest.isFailedRead(failure, file.getName), failure)
      val text = chain(failure).map(_.getMessage).mkString("\n")
      assert(text.contains("column st.s, dictionary page: a part of 536870912 bytes"), text)
    }
  }

  test("pages have encodings that the chunk's metadata omits") {
    withTempPath { folder =>
      spark.range(0, 4000, 1, 1)
        .selectExpr("id", "named_struct('s', concat('text ', id % 3), 'n', id * id % 1000) as st")
        .write
        .option("parquet.writer.version", "v2")
        .option("parquet.enable.dictionary", "false")
        .option("parquet.page.row.count.limit", "500")
        .parquet(folder.getPath)
      val file = folder.listFiles.find(_.getName.endsWith(".parquet")).get
      FooterEdit.change(file) { (footer, _) =>
        FooterEdit.columns(footer, "st.n").foreach { column =>
          assert(column.getEncodings.contains(format.Encoding.DELTA_BINARY_PACKED))
          column.getEncodings.remove(format.Encoding.DELTA_BINARY_PACKED)
          column.unsetEncoding_stats()
        }
      }
      for (rows <- Seq("1", "4096"))
        withSQLConf("spark.sql.parquet.columnarReaderBatchSize" -> rows) {
          for (condition <- Seq("id % 100 = 3", "st.n in (9, 25, 64)"))
            sameAnswer(table(folder).where(condition))(plan => assert(lateScans(plan).nonEmpty))
        }
    }
  }

  test("pages are left out by wrong minima and maxima only where Spark leaves them out") {
    for (indexed <- Seq(true, false)) withTempPath { folder =>
      spark.range(0, 4000, 1, 1)
        .selectExpr("id", "id + 100000 as z", "string(id) as x", "string(id) as y")
        .write.option("parquet.page.row.count.limit", "100").parquet(folder.getPath)
      val file = folder.listFiles.find(_.getName.endsWith(".parquet")).get
      FooterEdit.change(file) { (footer, _) =>
        footer.setCreated_by("a writer that nobody knows")
        val chunks = footer.getRow_groups.get(0).getColumns
        chunks.get(0).setColumn_index_offset(chunks.get(1).getColumn_index_offset)
        chunks.get(0).setColumn_index_length(chunks.get(1).getColumn_index_length)
        if (!indexed) {
          chunks.get(2).unsetOffset_index_offset()
          chunks.get(2).unsetOffset_index_length()
        }
      }
      // Spark needs the offset index of each column that it reads.
      for ((columns, n) <- Seq(Seq("id", "y") -> 0, Seq("id", "x") -> (if (indexed) 0 else 50))) {
        def rows = table(folder).where("id < 50").selectExpr(columns: _*)
        sameAnswer(rows)(plan => assert(lateScans(plan).nonEmpty))
        assert(rows.collect().length == n)
      }
    }
  }

  /** Saves lists of structs of structs, which Spark's reader decodes, as one file. */
  private def writeLists(folder: File): File = {
    spark.range(0, 300, 1, 1)
      .selectExpr(
        "id",
        "if(id % 5 = 0, null, array(named_struct('in', " +
          "named_struct('n', id, 'z', if(id % 3 = 0, null, double(id)))))) as rows"
      )
      .selectExpr(
        "id",
        "cast(rows as array<struct<in: struct<n: bigint, z: double>>>) as rows"
      )
      .write.parquet(folder.getPath)
    folder.listFiles.find(_.getName.endsWith(".parquet")).get
  }

  test("levels above those of the schema in a list of structs are nulls, as for Spark") {
    withTempPath { folder =>
      val file = writeLists(folder)
      val lists = table(folder).schema
      FooterEdit.change(file) { (footer, _) =>
        val z = footer.getSchema.asScala.find(_.getName == "z").get
        z.setRepetition_type(format.FieldRepetitionType.REQUIRED)
      }
      def rows = spark.read.schema(lists).parquet(folder.getPath).where("id % 7 > 1")
      sameAnswer(rows)(plan => assert(lateScans(plan).nonEmpty))
      assert(rows.selectExpr("inline(rows)").where("in.z is null").count() > 0)
    }
  }

  test("a list's column with fewer rows than the row group is corrupt, and the error says where") {
    withTempPath { folder =>
      val file = writeLists(folder)
      FooterEdit.change(file)((footer, _) => footer.getRow_groups.forEach(_.setNum_rows(301)))
      val rows = table(folder).where("rows is not null or rows is null").select("rows")
      assert(lateScans(rows).nonEmpty)
      val failure = failedTask(rows.collect())
      assert(LineTest.isFailedRead(failure, file.getName), failure)
      val text = chain(failure).map(_.getMessage).mkString("\n")
      assert(text.contains("the pages have 300 rows, and the row group 301"), text)
    }
  }
}
