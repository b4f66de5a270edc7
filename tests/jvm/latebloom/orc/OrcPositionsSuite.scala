// SPDX-License-Identifier: Apache-2.0
package latebloom.orc

import java.io.File
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.{Failure, Success, Try}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.{LongColumnVector, StructColumnVector}
import org.apache.orc.{OrcFile, TypeDescription}

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{DataFrame, Row}

import latebloom.LateBloomTest
import latebloom.read.task.Counter

/** Files in which some or all columns are resolved by position. */
class OrcPositionsSuite extends LateBloomTest {

  /** Rows in any order, or that the query fails. */
  private def answer(query: => DataFrame): Option[Seq[String]] =
    Try(query.collect()) match {
      case Success(rows) => Some(rows.map(_.toString).sorted.toSeq)
      case Failure(_)    => None
    }

  private def check(query: => DataFrame): DataFrame = {
    val expected = off(answer(query))
    val df = query
    withClue(df.queryExecution.executedPlan) {
      assert(answer(df) == expected)
      assert(lateScans(df).nonEmpty)
    }
    df
  }

  private val acid = TypeDescription.fromString(
    "struct<operation:int,originalTransaction:bigint,bucket:int,rowId:bigint," +
      "currentTransaction:bigint,row:struct<x:int,y:bigint>>"
  )

  private def writeAcid(dir: File, metadata: Boolean): Unit = {
    dir.mkdirs()
    val options = OrcFile.writerOptions(new Configuration()).setSchema(acid)
    val writer = OrcFile.createWriter(new Path(new File(dir, "a.orc").toURI), options)
    val batch = acid.createRowBatch(5000)
    def set(vector: Any, r: Int, value: Long): Unit =
      vector.asInstanceOf[LongColumnVector].vector(r) = value
    (0 until 5000).foreach { r =>
      (0 until 5).foreach(c => set(batch.cols(c), r, r * (c + 1L)))
      val row = batch.cols(5).asInstanceOf[StructColumnVector]
      row.fields.zipWithIndex.foreach { case (f, i) => set(f, r, -r * (i + 1L)) }
    }
    batch.size = 5000
    writer.addRowBatch(batch)
    if (metadata) {
      writer.addUserMetadata("hive.acid.key.index", UTF_8.encode("1,0,4999;"))
      writer.addUserMetadata("hive.acid.stats", UTF_8.encode("5000,0,0"))
      writer.addUserMetadata("hive.acid.version", UTF_8.encode("2"))
    }
    writer.close()
  }

  test(
    "files of transactional tables give what Spark's reader gives, whichever columns are asked"
  ) {
    for (metadata <- Seq(true, false); vectorized <- Seq("true", "false")) {
      withTempPath { dir =>
        writeAcid(dir, metadata)
        withSQLConf(SQLConf.WHOLESTAGE_CODEGEN_ENABLED.key -> vectorized) {
          val all = spark.read.orc(dir.getPath)
          val whole = check(all.where("rowId = 4740"))
          assert(lateScans(whole).map(_.metrics(Counter.FILES_ACID.key).value).sum == 1)
          assert(whole.collect().length == 1)
          val hidden = check(all.where("rowId = 4740").drop("rowId"))
          assert(hidden.collect().toSeq ==
            Seq(Row(1185, 2370L, 3555, 5925L, Row(-1185, -2370L))))
          check(all.where("operation = 7 and currentTransaction = 35").drop("operation"))
          check(all.where("row.x = -9").drop("row"))
          check(all.where("row.x = -9").select("row", "operation"))
          check(all.where("rowId = 4740").select("operation"))
          check(all.where("row.y = -10").select("rowId", "row.x"))
        }
      }
    }
  }

  test("files whose columns have no names, for any columns") {
    withTempPath { dir =>
      spark.range(0, 5000, 1, 1)
        .selectExpr("id _col0", "concat('x', id) _col1", "named_struct('p', id, 'q', 2 * id) _col2")
        .write.orc(dir.getPath)
      val named =
        spark.read.schema("a long, b string, c struct<p: long, q: long>, d int").orc(dir.getPath)
      for (
        where <-
          Seq("a = 77", "b = 'x78'", "c.q = 98", "d is null and a < 4", "a < 9 and b > 'x3'");
        columns <- Seq("a", "b", "c", "d", "c, a", "b, d, c", "d, c, b, a", "c.p, b")
      ) withClue(s"$columns where $where\n") {
        check(named.where(where).selectExpr(columns.split(", ").toSeq: _*))
      }
    }
  }

  test("files whose columns are resolved by position, for any columns") {
    withTempPath { dir =>
      spark.range(0, 5000, 1, 1)
        .selectExpr(
          "id b",
          "id * 2 a",
          "named_struct('q', id, 'p', 3 * id) d"
        ).write.orc(dir.getPath)
      val swapped = spark.read.option("orc.force.positional.evolution", "true")
        .schema("a long, b long, c struct<p: long, q: long>, e string").orc(dir.getPath)
      for (
        where <- Seq("a = 4999", "b = 8", "c.p = 12", "e is null and b < 9");
        columns <- Seq("a", "b", "c", "e", "b, a", "c, e, a")
      ) withClue(s"$columns where $where\n") {
        check(swapped.where(where).selectExpr(columns.split(", ").toSeq: _*))
      }
    }
  }
}
