// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import org.apache.spark.sql.Row
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest

/** Answers of Spark's own that depend on how it reads, about -0.0 and 0.0: the scan's are those of
  * Spark where it reads all rows, one by one. See docs/design/spark-faults.md.
  */
class SparkFaultsSuite extends LateBloomTest {

  // Of orc-core's reader of rows, which Spark takes where it generates no code for stages.
  private val oneRowABatch = Seq("orc.row.batch.size" -> "1")

  private val zeros = "select id, if(id % 3 = 0, -0.0D, 0.0D) f from range(0, 20, 1, 1)"

  test("a batch of ORC zeros of both signs has one sign in Spark, and its own in the scan") {
    withTempPath { dir =>
      spark.sql(zeros).write.orc(dir.getPath)
      def query = spark.read.orc(dir.getPath).where("id < 8")
        .selectExpr("cast(f as string) s", "id").orderBy("s", "id").select("s", "id")
      val written = spark.sql(zeros).where("id < 8")
        .selectExpr("cast(f as string) s", "id").orderBy("s", "id").collect().toSeq
      val batches = Seq(
        Seq(SQLConf.WHOLESTAGE_CODEGEN_ENABLED.key -> "false") -> oneRowABatch,
        Seq(SQLConf.WHOLESTAGE_CODEGEN_ENABLED.key -> "true") ->
          Seq(SQLConf.ORC_VECTORIZED_READER_BATCH_SIZE.key -> "1")
      )
      batches.foreach { case (reader, one) =>
        withSQLConf(reader: _*) {
          assert(lateScans(query).nonEmpty)
          assert(query.collect().toSeq == written, reader)
          off {
            assert(query.collect().map(_.getString(0)).toSet == Set("-0.0"), reader)
            withSQLConf(one: _*)(assert(query.collect().toSeq == written, reader))
          }
        }
      }
    }
  }

  test("row groups of -0.0 are lost to Spark where it pushes = 0.0 down, and are not to the scan") {
    withTempPath { dir =>
      spark.sql("select id, -0.0D f from range(0, 7, 1, 1)").write.parquet(dir.getPath)
      spark.sql(
        "select id, 0.0D f from range(0, 7, 1, 1)"
      ).write.mode("append").parquet(dir.getPath)
      spark.read.parquet(dir.getPath).createOrReplaceTempView("signs")
      Seq(
        "select count(*) from signs where f = 0.0D",
        "select sum(n) from (select f, count(*) n from signs group by f) where f = 0.0D",
        "select count(*) from signs where f in (0.0D, 1.0D)"
      ).foreach { query =>
        val df = spark.sql(query)
        assert(lateScans(df).nonEmpty)
        assert(df.collect().toSeq == Seq(Row(14)), query)
        off {
          assert(spark.sql(query).collect().toSeq == Seq(Row(7)), query)
          withSQLConf(SQLConf.PARQUET_FILTER_PUSHDOWN_ENABLED.key -> "false") {
            assert(spark.sql(query).collect().toSeq == Seq(Row(14)), query)
          }
        }
      }
    }
  }

  test("days that java.sql.Date lacks are lost to Spark where it pushes them down as such") {
    withTempPath { dir =>
      // Spark 3.5 refuses to write such days by default.
      withSQLConf(SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key -> "CORRECTED") {
        Seq("1582-10-04", "1899-12-31").foreach { other =>
          spark.sql(s"select if(id % 2 = 0, date'1582-10-09', date'$other') d from range(8)")
            .write.mode("append").parquet(dir.getPath)
        }
      }
      spark.read.parquet(dir.getPath).createOrReplaceTempView("days")
      val query = "select count(*) from days where d = date'1582-10-09'"
      withSQLConf(SQLConf.DATETIME_JAVA8API_ENABLED.key -> "false") {
        val df = spark.sql(query)
        assert(lateScans(df).nonEmpty)
        assert(df.collect().toSeq == Seq(Row(8)))
        off {
          assert(spark.sql(query).collect().toSeq == Seq(Row(0)))
          withSQLConf(SQLConf.PARQUET_FILTER_PUSHDOWN_ENABLED.key -> "false") {
            assert(spark.sql(query).collect().toSeq == Seq(Row(8)))
          }
        }
      }
    }
  }
}
