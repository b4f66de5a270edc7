// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{DataFrame, Row}

import latebloom.LateBloomTest

/** Files that Spark reads as a DataSource V2, off against on: off, the plan has Spark's V2 scan. */
class FileTablesSuite extends LateBloomTest {

  private val formats = Seq("parquet", "orc")

  private def inV2(body: String => Unit): Unit =
    for (format <- formats) withTempPath { path =>
      spark.range(0, 20000, 1, 3).selectExpr(
        "id",
        "cast(id % 50 as int) k",
        "concat('text ', id % 300) s",
        "named_struct('a', id % 7, 'b', concat('b', id)) n",
        "date_add(date'2020-01-01', cast(id % 9 as int)) day"
      ).write.partitionBy("day").format(format).save(path.toString)
      withSQLConf(
        SQLConf.USE_V1_SOURCE_LIST.key -> "",
        "spark.latebloom.join.minScanBytes" -> "0",
        "spark.latebloom.topK.minScanBytes" -> "0",
        "spark.latebloom.topK.minSaved" -> "0"
      ) {
        spark.read.format(format).load(path.toString).createOrReplaceTempView("t")
        try withClue(s"$format\n")(body(format))
        finally spark.catalog.dropTempView("t")
      }
    }

  private def isV2(plan: SparkPlan): Boolean = nodes(plan) { case b: BatchScanExec => b }.nonEmpty

  private def taken(sql: String, scans: Int = 1): Unit = {
    def df: DataFrame = spark.sql(sql)
    assert(off(isV2(df.queryExecution.executedPlan)))
    sameAnswer(df) { plan =>
      assert(lateScans(plan).size == scans)
      assert(!isV2(plan))
    }
  }

  test("filters, partitions, nested columns") {
    inV2 { _ =>
      taken("select * from t where k = 7 and s like '%1'")
      taken("select id, day from t where k = 7 and day = date'2020-01-03'")
      taken("select n.b from t where n.a = 3 and id < 500")
      taken("select count(*), max(s) from t where k in (1, 2, 30)")
      taken("select day, count(*) from t where s is null or k > 45 group by day")
    }
  }

  test("a command that they do not know fails as in Spark") {
    inV2 { _ =>
      Seq(
        "delete from t",
        "delete from t where id < 3",
        "update t set id = 3",
        "merge into t using (select id u from t where k = 3) on u = id when matched then delete"
      ).foreach { command =>
        def error() = intercept[Exception](spark.sql(command)).toString
        assert(off(error()) == error())
      }
    }
  }

  test("a partition's column that the files have as well, at another place") {
    for (format <- formats) withTempPath { path =>
      Seq(1, 2).foreach { p =>
        spark.range(1000).selectExpr("id", "cast(5 as int) p", "concat('text ', id % 30) s")
          .write.format(format).save(s"$path/p=$p")
      }
      withSQLConf(SQLConf.USE_V1_SOURCE_LIST.key -> "") {
        def df: DataFrame = spark.read.format(format).load(path.toString)
        sameAnswer(df.where("id = 3")) { plan =>
          assert(lateScans(plan).size == 1)
          assert(names(onlyScan(df.where("id = 3"))).toSet == Set("id", "p", "s"))
        }
        sameAnswer(df.where("p = 2 and s = 'text 7'"))(p => assert(lateScans(p).size == 1))
        assert(df.where("id = 3").columns.toSeq == Seq("id", "s", "p"))
        checkAnswer(df.where("id = 3"), Seq(1, 2).map(Row(3L, "text 3", _)))
      }
    }
  }

  test("joins, orders and subqueries") {
    inV2 { _ =>
      taken("select a.s from t a join t b on a.id = b.id where b.k = 3 and b.id < 900", 2)
      sameAnswer(
        spark.sql("select a.s from t a join t b on a.id = b.id where b.k = 3 and b.id < 900")
      )(plan => assert(lateScans(plan).exists(_.joinFilters.nonEmpty)))
      taken("select * from t where k > 2 order by id desc limit 5", 2)
      taken("select id from t where k = (select max(k) from t where id < 20)", 2)
    }
  }

  test("a DataFrame follows the switch") {
    inV2 { _ =>
      val df = spark.sql("select s from t where k = 7")
      assert(lateScans(df).size == 1)
      assert(off(isV2(df.select("*").queryExecution.executedPlan)))
      withSQLConf("spark.latebloom.scan.enabled" -> "false") {
        assert(isV2(df.select("*").queryExecution.executedPlan))
      }
    }
  }

  test("a table on which Spark computes aggregates from footers stays Spark's") {
    inV2 { format =>
      val pushed =
        Seq(SQLConf.PARQUET_AGGREGATE_PUSHDOWN_ENABLED, SQLConf.ORC_AGGREGATE_PUSHDOWN_ENABLED)
      withSQLConf(pushed.map(_.key -> "true"): _*) {
        sameAnswer(spark.sql("select max(id), count(*) from t"))(plan => assert(isV2(plan)))
        val report = reports(spark.sql("select id from t where k = 3")).head
        assert(report.declined.map(_.code).contains("datasource-v2"))
        assert(report.source.format == format)
      }
    }
  }

  test("a schema that users give, options, and a path that has no rows") {
    inV2 { format =>
      val path = spark.table("t").inputFiles.head.replaceAll("/day=.*", "")
      def read =
        spark.read.option("recursiveFileLookup", "true").schema("k int, id long, other string")
          .format(format).load(path).where("k = 3 and other is null")
      sameAnswer(read)(plan => assert(lateScans(plan).size == 1))
      sameAnswer(spark.sql("select * from t where day > date'2030-01-01' and k = 1"))(_ => ())
    }
  }

  test("a table that is written to from its own rows") {
    inV2 { format =>
      withTempPath { other =>
        spark.sql("select * from t where k = 3").write.format(format).save(other.toString)
        val back = spark.read.format(format).load(other.toString)
        assert(back.count() == off(spark.sql("select * from t where k = 3").count()))
      }
    }
  }
}
