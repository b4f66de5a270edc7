// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, File}
import java.nio.ByteBuffer
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.{OffsetIndex, PageLocation, Statistics, Util}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan

import latebloom.LateBloomTest
import latebloom.parquet.FooterEdit

/** Parquet files with wrong statistics and indexes, by writers that had such faults: Spark never
  * keeps a row because of them, and rules out rows only by the filters that it pushes down.
  */
class WrongStatisticsSuite extends LateBloomTest {
  private val rows = 1000

  private val faulty = Seq(
    "parquet-cpp-arrow version 4.0.1",
    "parquet-mr version 1.8.1 (build 4aba4dae7bb0d4edbcf7923ae1339f28fd3f7fcf)",
    "parquet-go version 18.0.0",
    "Polars",
    "never heard of"
  )

  /** A file with a null in each column `n…` in every third row, and no row without a `k`. */
  private def written(folder: File, options: (String, String)*): File = {
    spark.range(0, rows, 1, 1)
      .selectExpr(
        "id % 20 as v",
        "cast(if(id % 3 = 0, null, id) as int) as n",
        "if(id % 3 = 0, null, concat('text ', id % 7)) as ns",
        "cast(id as int) as k",
        "concat('payload ', id * 7919 % 60013) as p"
      )
      .write.options(options.toMap).parquet(folder.getPath)
    folder.listFiles.find(_.getName.endsWith(".parquet")).get
  }

  private def lie(file: File, writer: String, columns: String*)(change: Statistics => Unit): Unit =
    FooterEdit.change(file) { (footer, _) =>
      footer.setCreated_by(writer)
      for (name <- columns; c <- FooterEdit.columns(footer, name)) change(c.getStatistics)
    }

  private def bounds(min: Int, max: Int)(statistics: Statistics): Unit = {
    def little(v: Int) = Array.tabulate(4)(i => (v >>> 8 * i).toByte)
    statistics.unsetMin()
    statistics.unsetMax()
    statistics.setMin_value(little(min))
    statistics.setMax_value(little(max))
  }

  private def table(folder: File): DataFrame = spark.read.parquet(folder.getPath)

  private def decoded(plan: SparkPlan): Long =
    lateScans(plan).map(_.metrics("valuesDecoded").value).sum

  test("a wrong null count of 0 proves nothing") {
    for (writer <- faulty) withTempPath { folder =>
      lie(written(folder), writer, "n", "ns")(_.setNull_count(0))
      for (
        condition <- Seq(
          "ns is not null and v < 18",
          "n is not null and p like '%1%'",
          "not (ns is null and v < 11) or v > 15",
          "not (n is null and v < 11)",
          "n >= 0 or v = 3",
          "ns like '%' and n is not null"
        )
      ) sameAnswer(table(folder).where(condition).select("v", "p")) { plan =>
        assert(lateScans(plan).nonEmpty, writer)
      }
      assert(table(folder).where("ns is not null and v < 20").count() == 666)
    }
  }

  test("a wrong null count proves nothing where dictionary arrays may have been written") {
    withTempPath { folder =>
      lie(written(folder), "parquet-cpp-arrow version 21.0.0", "n", "ns")(_.setNull_count(0))
      sameAnswer(table(folder).where("ns is not null and n is not null and v < 18").select("v")) {
        plan =>
          assert(lateScans(plan).nonEmpty)
      }
    }
  }

  test("a wrong minimum and maximum prove nothing") {
    for (writer <- faulty) withTempPath { folder =>
      lie(written(folder), writer, "k")(bounds(400, 600))
      for (condition <- Seq("k >= 400", "k <= 600", "k between 390 and 610", "k > 0 or v = 7")) {
        sameAnswer(table(folder).where(condition).select("v", "p")) { plan =>
          assert(lateScans(plan).nonEmpty, writer)
        }
      }
      assert(table(folder).where("k >= 400").count() == 600)
    }
  }

  test("the keys of a join rule out nothing by wrong bounds") {
    withSQLConf("spark.latebloom.join.minScanBytes" -> "0") {
      for (writer <- faulty) withTempPath { folder =>
        lie(written(folder), writer, "k")(bounds(0, 10))
        def joined = {
          val keys = spark.range(500, 520).selectExpr("cast(id as int) as y").where("y % 2 = 0")
          val big = table(folder)
          big.join(keys.hint("broadcast"), big("k") === keys("y")).select("v", "p")
        }
        sameAnswer(joined) { plan =>
          assert(lateScans(plan).flatMap(_.joinFilters).nonEmpty, writer)
        }
        assert(joined.count() == 10)
      }
    }
  }

  test("the page offsets of an unknown writer are not used") {
    withTempPath { folder =>
      val file = written(
        folder,
        "parquet.page.row.count.limit" -> "100",
        "parquet.enable.dictionary" -> "false",
        "compression" -> "none"
      )
      val p = FooterEdit.columns(FooterEdit.read(file), "p").head
      // One page of all that there are, which is as long as the first is.
      val index = new OffsetIndex(
        List(
          new PageLocation(p.getData_page_offset, 1800, 0),
          new PageLocation(p.getData_page_offset + 1800, 1800, 500)
        ).asJava
      )
      val bytes = new ByteArrayOutputStream
      Util.writeOffsetIndex(index, bytes)
      FooterEdit.change(file, bytes.toByteArray) { (footer, at) =>
        footer.setCreated_by("never heard of")
        footer.getRow_groups.asScala.flatMap(_.getColumns.asScala).foreach { c =>
          if (c.getMeta_data.getPath_in_schema.asScala == Seq("p")) {
            c.setOffset_index_offset(at)
            c.setOffset_index_length(bytes.size)
          }
        }
      }
      sameAnswer(table(folder).where("k % 1000 in (3, 777)").select("v", "p")) { plan =>
        assert(lateScans(plan).nonEmpty)
      }
    }
  }

  test("what a wrong page index ruled out in one query is not left out of another") {
    withTempPath { folder =>
      val file = written(folder, "parquet.page.row.count.limit" -> "100", "compression" -> "none")
      val k = FooterEdit.chunks(FooterEdit.read(file), "k").head
      val stored = Files.readAllBytes(file.toPath)
      val from = k.getColumn_index_offset.toInt
      val index = Util.readColumnIndex(
        new ByteArrayInputStream(stored.slice(from, from + k.getColumn_index_length))
      )
      def little(v: Int) = ByteBuffer.wrap(Array.tabulate(4)(i => (v >>> 8 * i).toByte))
      // Of the page with the rows 500 to 599.
      index.getMin_values.set(5, little(500))
      index.getMax_values.set(5, little(500))
      val bytes = new ByteArrayOutputStream
      Util.writeColumnIndex(index, bytes)
      FooterEdit.change(file, bytes.toByteArray) { (footer, at) =>
        footer.setCreated_by("never heard of")
        footer.getRow_groups.asScala.flatMap(_.getColumns.asScala).foreach { c =>
          c.getMeta_data.getPath_in_schema.asScala.head match {
            case "k" =>
              c.setColumn_index_offset(at)
              c.setColumn_index_length(bytes.size)
            case "p" =>
              c.unsetOffset_index_offset()
              c.unsetOffset_index_length()
            case _ =>
          }
        }
      }
      assert(file.setLastModified(System.currentTimeMillis() - 3600000))
      // Spark uses the index only if each column that it reads has an offset index.
      def query(column: String) = table(folder).where("k = 555").select(column)
      assert(query("v").count() == 0 && off(query("v").count()) == 0)
      sameAnswer(query("v"))(plan => assert(lateScans(plan).nonEmpty))
      sameAnswer(query("p"))(plan => assert(lateScans(plan).nonEmpty))
      assert(query("p").collect().length == 1)
    }
  }

  test("statistics of a trusted writer save reading what they prove") {
    withTempPath { folder =>
      written(folder)
      sameAnswer(table(folder).where("k is not null and v < 20").select("v")) { plan =>
        assert(decoded(plan) == rows)
      }
      sameAnswer(table(folder).where("k >= 0 and v < 20").select("p")) { plan =>
        assert(decoded(plan) == rows)
      }
    }
  }
}
