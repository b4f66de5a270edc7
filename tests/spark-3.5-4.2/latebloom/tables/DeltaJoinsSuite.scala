// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import latebloom.read.task.Counter

/** Join filters on Delta tables, and from them, off against on. */
class DeltaJoinsSuite extends DeltaTest {

  private def filtered(plan: SparkPlan): Unit =
    assert(lateScans(plan).exists(_.joinFilters.nonEmpty))

  for (
    (mapping, vectors) <-
      combinations("name" -> "true", "none" -> "true", "none" -> "false", "id" -> "true")
  ) test(s"keys filter a table; columns mapped by $mapping, deletion vectors $vectors") {
    withTable("big", "small") {
      table("big")(
        "delta.columnMapping.mode" -> mapping,
        "delta.enableDeletionVectors" -> vectors
      )
      table("small")(
        "delta.columnMapping.mode" -> mapping,
        "delta.enableDeletionVectors" -> vectors
      )
      rows(4000, 8000).write.format("delta").mode("append").saveAsTable("big")
      spark.sql("DELETE FROM big WHERE id % 10 = 3")
      spark.sql("DELETE FROM small WHERE id % 10 = 4")
      Seq("-1", "10m").foreach { broadcast =>
        withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> broadcast) {
          sameAnswer(
            spark.sql(
              "SELECT big.s, small.k FROM big JOIN small ON big.id = small.id WHERE small.k < 6"
            )
          )(filtered)
          sameAnswer(
            spark.sql(
              "SELECT count(*) FROM big WHERE s IN (SELECT s FROM small WHERE k = 5 AND p = 1)"
            )
          )(filtered)
        }
      }
    }
  }

  for ((mapping, vectors) <- combinations("name" -> "true", "none" -> "false", "id" -> "true"))
    test(s"files whose statistics exclude all keys are not opened; $mapping, vectors $vectors") {
      withTable("big", "small") {
        val columns = "(id BIGINT, day DATE, t TIMESTAMP, s STRING, n DECIMAL(9, 2), p INT)"
        spark.sql(
          s"CREATE TABLE big $columns USING delta TBLPROPERTIES ('delta.columnMapping.mode' = " +
            s"'$mapping', 'delta.enableDeletionVectors' = '$vectors')"
        )
        def rows(files: Int) = spark.range(0, 2000, 1, files).selectExpr(
          "id",
          "date_add(date'2020-01-01', cast(id / 100 as int)) day",
          "timestamp_seconds(id) t",
          "concat('s', lpad(id, 6, '0')) s",
          "cast(id as decimal(9, 2)) n",
          "cast(id / 200 as int) p"
        )
        // Each file has 100 ids.
        rows(20).write.format("delta").mode("append").saveAsTable("big")
        spark.sql("DELETE FROM big WHERE id % 10 = 3")
        rows(1).selectExpr("*", "id place", "id % 100 few")
          .write.format("delta").saveAsTable("small")
        for (key <- Seq("id", "day", "t", "s", "n"); broadcast <- Seq("-1", "10m")) {
          withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> broadcast) {
            // Two places of the file, far from each other.
            val where = "(place between 250 and 260 or place between 1650 and 1660)"
            sameAnswer(
              spark.sql(
                s"SELECT big.id, big.s FROM big JOIN small ON big.$key = small.$key " +
                  s"WHERE $where and small.few < 70"
              )
            ) { plan =>
              val Seq(scan) = lateScans(plan).filter(_.joinFilters.nonEmpty)
              val excluded = scan.metrics(Counter.FILES_EXCLUDED.key).value
              // Of a text's statistics only the least and the greatest key are asked for.
              assert(excluded == (if (key == "s") 5 else 18), s"$key, $broadcast")
            }
          }
        }
      }
    }

  test("keys of other files filter a Delta table, and keys of a Delta table other files") {
    withTable("d", "f") {
      table("d")("delta.enableDeletionVectors" -> "true")
      spark.sql("DELETE FROM d WHERE id % 10 = 3")
      rows(0, 4000).write.format("parquet").saveAsTable("f")
      sameAnswer(spark.sql("SELECT d.s FROM d JOIN f ON d.id = f.id WHERE f.k = 4"))(filtered)
      sameAnswer(spark.sql("SELECT f.s FROM d JOIN f ON d.id = f.id WHERE d.k = 4"))(filtered)
    }
  }

  test("statistics of files that are pruned by keys are those of the renamed column") {
    withTable("big", "small") {
      table("big")("delta.columnMapping.mode" -> "name")
      spark.sql("ALTER TABLE big RENAME COLUMN id TO a")
      spark.sql("ALTER TABLE big RENAME COLUMN k TO id")
      spark.sql("ALTER TABLE big RENAME COLUMN a TO k")
      rows(0, 4000).write.format("delta").saveAsTable("small")
      sameAnswer(
        spark.sql("SELECT big.s FROM big JOIN small ON big.k = small.id WHERE small.id > 3900")
      )(filtered)
    }
  }

  test("keys exclude files of a list only by the statistics of the snapshot that has them") {
    withTable("big", "small") {
      spark.range(0, 4000, 1, 4).selectExpr("id", "concat('s', id) s")
        .write.format("delta").saveAsTable("big")
      rows(0, 4000).selectExpr("*", "id place").write.format("delta").saveAsTable("small")
      val before = log("big").update()
      spark.sql("DELETE FROM big WHERE id = 1")
      val after = log("big").update()
      // The first file has another one in its place.
      for ((snapshot, most) <- Seq(before -> 3, after -> 2)) {
        log("big").createDataFrame(snapshot, before.allFiles.collect().toSeq)
          .createOrReplaceTempView("listed")
        sameAnswer(
          spark.sql(
            "SELECT b.s, small.k FROM listed b JOIN small ON b.id = small.id WHERE place > 3900"
          )
        ) { plan =>
          val Seq(scan) = lateScans(plan).filter(_.joinFilters.nonEmpty)
          assert(scan.metrics(Counter.FILES_EXCLUDED.key).value == most)
        }
      }
    }
  }

  test("keys are gathered from one version of a table only") {
    withTable("big", "small") {
      table("big")()
      table("small")()
      withSQLConf("spark.databricks.delta.stats.skipping" -> "false") {
        val df =
          spark.sql("SELECT big.s FROM big JOIN small ON big.id = small.id WHERE small.k = 6")
        df.collect()
        assert(lateScans(df).nonEmpty && lateScans(df).forall(_.joinFilters.isEmpty))
      }
    }
  }
}
