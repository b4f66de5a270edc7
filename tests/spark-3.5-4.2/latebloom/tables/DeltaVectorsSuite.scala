// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import java.nio.file.{Files, Paths}

import org.apache.spark.sql.execution.{FilterExec, SparkPlan}

import latebloom.line.Compat._

/** Tables with deletion vectors, off against on. */
class DeltaVectorsSuite extends DeltaTest {
  private val vectors = "delta.enableDeletionVectors" -> "true"
  private val rowIndex = "spark.databricks.delta.deletionVectors.useMetadataRowIndex"

  /** Every file of the table has a vector. */
  private def deleted(name: String)(properties: (String, String)*): Unit = {
    table(name)(properties :+ vectors: _*)
    spark.sql(s"DELETE FROM $name WHERE id % 10 = 3 OR id BETWEEN 1000 AND 1500")
    assert(log(name).update().numDeletedRecordsOpt.exists(_ > 0))
  }

  private def filters(plan: SparkPlan) = nodes(plan) { case f: FilterExec => f }

  private def isBare(plan: SparkPlan): Unit = {
    val columns = nodes(plan) { case p => p.output.map(_.name) }.flatten
    assert(!columns.exists(_.contains("is_row_deleted")))
    assert(!columns.contains("_tmp_metadata_row_index"))
    assert(filters(plan).isEmpty)
  }

  for {
    (mapping, index) <- combinations(
      "name" -> "true",
      "none" -> "true",
      "none" -> "false",
      "name" -> "false",
      "id" -> "true"
    )
  } test(s"deleted rows, columns mapped by $mapping, Spark's row index $index") {
    withTable("t") {
      withSQLConf(rowIndex -> index) {
        deleted("t")("delta.columnMapping.mode" -> mapping)
        taken("SELECT * FROM t WHERE k < 5")
        taken("SELECT count(*), sum(id) FROM t")
        taken("SELECT id, l[1] FROM t WHERE s LIKE '%3 and%' AND n.a > 3 LIMIT 3000")
        sameAnswer(spark.sql("SELECT id, s FROM t WHERE k < 50"))(isBare)
        sameAnswer(spark.sql("SELECT id, s FROM t"))(isBare)
      }
    }
  }

  test("files with and without vectors, and vectors that grow") {
    withTable("t") {
      deleted("t")()
      rows(10000, 12000).repartition(2).write.format("delta").mode("append").saveAsTable("t")
      taken("SELECT * FROM t WHERE k < 10")
      spark.sql("DELETE FROM t WHERE id % 10 = 4 AND id < 11000")
      taken("SELECT * FROM t WHERE k < 10")
      spark.sql("DELETE FROM t WHERE id % 10 <> 4")
      taken("SELECT * FROM t WHERE k < 10")
      taken("SELECT * FROM t VERSION AS OF 3 WHERE k < 10")
    }
  }

  test("splits and row groups that begin within a file") {
    withTable("t") {
      withSQLConf("parquet.block.size" -> "20000", "spark.sql.files.maxPartitionBytes" -> "30000") {
        table("t")(vectors)
        spark.sql("DELETE FROM t WHERE id % 7 = 3 OR id BETWEEN 500 AND 2500")
        taken("SELECT * FROM t WHERE k < 30")
        taken("SELECT * FROM t")
      }
    }
  }

  test("metadata of live rows") {
    withTable("t") {
      deleted("t")("delta.enableRowTracking" -> "true")
      taken(
        "SELECT id, _metadata.row_index, _metadata.row_id, _metadata.file_name, " +
          "_metadata.file_size FROM t WHERE k < 10"
      )
      taken("SELECT id FROM t WHERE k < 10 AND _metadata.row_index % 2 = 0")
    }
  }

  test("a condition that fails sees no deleted row") {
    withTable("t") {
      deleted("t")()
      sameAnswer(spark.sql("SELECT id FROM t WHERE 100 / (k - 3) > 7"))(p =>
        assert(lateScans(p).nonEmpty)
      )
    }
  }

  test("deleted rows are counted, and pages with no other row are not fetched") {
    withTable("t") {
      withSQLConf("parquet.page.row.count.limit" -> "100") {
        spark.sql(
          s"CREATE TABLE t (id BIGINT, s STRING) USING delta TBLPROPERTIES ('${vectors._1}' = 'true')"
        )
        spark.range(0, 200000, 1, 1).selectExpr(
          "id",
          "concat(sha2(string(id), 512), sha2(string(id + 1), 512)) AS s"
        )
          .write.format("delta").mode("append").saveAsTable("t")
      }
      def bytes =
        onlyScan(spark.sql("SELECT max(s) FROM t WHERE id >= 0")).metrics("bytesFetched").value
      val before = bytes
      spark.sql("DELETE FROM t WHERE id >= 20000")
      val scan = onlyScan(spark.sql("SELECT max(s) FROM t WHERE id >= 0"))
      assert(scan.metrics("rowsDeleted").value == 180000)
      assert(scan.metrics("bytesFetched").value < before / 5)
    }
  }

  test("LIMIT, samples, sorts, aggregates and subqueries over live rows") {
    withTable("t") {
      deleted("t")()
      taken("SELECT count(*) FROM (SELECT * FROM t LIMIT 100)")
      taken("SELECT k, count(*), max(s) FROM t WHERE n.a < 9 GROUP BY k")
      taken(
        "SELECT id FROM t WHERE k > (SELECT avg(k) + 40 FROM t WHERE p = 1) ORDER BY id DESC LIMIT 20"
      )
      taken("SELECT id FROM t WHERE k = 4 AND id IN (SELECT id + 10 FROM t WHERE k < 50)")
    }
  }

  test("a missing vector fails as it does without LateBloom") {
    withTable("t") {
      deleted("t")()
      // Some are in folders with random names.
      val files = Files.walk(Paths.get(log("t").dataPath.toUri)).iterator.asScala
        .filter(_.getFileName.toString.startsWith("deletion_vector")).toList
      assume(files.nonEmpty || spark.version.take(1) != "3", "Delta keeps small vectors in its log")
      files.foreach(Files.delete)
      val query = "SELECT * FROM t WHERE k = 4"
      // Whichever file's task fails first.
      def error: (Class[_], String) = {
        val of = failedTask(spark.sql(query).collect())
        (of.getClass, of.getMessage.replaceAll("part-\\S+", ""))
      }
      assert(error == off(error))
    }
  }

  test("a table with vectors stays Delta's where Spark's vectorized reader is off") {
    withTable("t") {
      deleted("t")()
      withSQLConf("spark.sql.parquet.enableVectorizedReader" -> "false") {
        val df = spark.sql("SELECT * FROM t WHERE k = 4")
        df.collect()
        assert(declined(df.queryExecution.executedPlan) == Seq("vectorized-reader-off"))
      }
    }
  }
}
