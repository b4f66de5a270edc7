// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration._

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.util.QueryExecutionListener

import latebloom.line.Compat._
import latebloom.read.task.Counter

/** Commands that change Delta tables: the same table afterwards, off and on, file for file. */
class DeltaCommandsSuite extends DeltaTest {

  /** The plans that `body` executes. */
  private def plans(body: => Unit): Seq[SparkPlan] = {
    val seen = new ConcurrentLinkedQueue[QueryExecution]
    val listener = new QueryExecutionListener {
      override def onSuccess(f: String, query: QueryExecution, nanos: Long): Unit = seen.add(query)
      override def onFailure(f: String, query: QueryExecution, error: Exception): Unit = ()
    }
    spark.listenerManager.register(listener)
    try {
      body
      // Listeners are told in order, and late.
      val last = spark.range(1).toDF()
      last.collect()
      eventually(timeout(60.seconds))(assert(seen.contains(last.queryExecution)))
    } finally spark.listenerManager.unregister(listener)
    seen.asScala.toSeq.map(_.executedPlan)
  }

  /** Per file: how many rows, and which. */
  private def files(table: String): Seq[Row] = off {
    spark.sql(
      "SELECT count(*), sum(hash(*)), sort_array(collect_list(id)) FROM " +
        s"(SELECT *, _metadata.file_name AS file FROM $table) GROUP BY file"
    ).drop("file")
  }.collect().toSeq.map(r => Row(r(0), r(2))).sortBy(_.toString)

  private def metrics(table: String): Map[String, String] =
    spark.sql(s"DESCRIBE HISTORY $table LIMIT 1")
      .selectExpr("operationMetrics").head().getMap[String, String](0).toMap
      .filter { case (name, _) =>
        !name.contains("TimeMs") && !name.contains("Bytes") && !name.contains("Size") &&
        !name.startsWith("p") && !name.startsWith("min") && !name.startsWith("max")
      }

  /** Runs a command with the table `t` off, and with an equal table on; gives the plans of the
    * second.
    */
  private def same(properties: (String, String)*)(commands: String*): Seq[SparkPlan] = {
    var ours = Seq.empty[SparkPlan]
    withTable("off_t", "on_t", "source") {
      rows(0, 300).selectExpr("id * 20 AS id", "k + 1 AS k", "concat('s', k) AS s")
        .write.saveAsTable("source")
      Seq("off_t", "on_t").foreach(table(_)(properties: _*))
      commands.foreach { command =>
        off(spark.sql(command.replace("$t", "off_t")).collect())
        ours ++= plans(spark.sql(command.replace("$t", "on_t")).collect())
        withClue(command) {
          assert(files("off_t") == files("on_t"))
          assert(metrics("off_t") == metrics("on_t"))
          checkAnswer(off(spark.table("on_t")), off(spark.table("off_t").collect().toSeq))
          checkAnswer(
            spark.sql("SELECT * FROM on_t WHERE k < 90"),
            off(
              spark.sql("SELECT * FROM off_t WHERE k < 90").collect().toSeq
            )
          )
        }
      }
    }
    ours
  }

  for ((vectors, mapping) <- combinations("true" -> "name", "false" -> "none")) {
    val properties = Seq(
      "delta.enableDeletionVectors" -> vectors,
      "delta.columnMapping.mode" -> mapping,
      "delta.enableChangeDataFeed" -> vectors,
      "delta.enableRowTracking" -> vectors
    )
    test(s"DELETE, UPDATE and OPTIMIZE; deletion vectors $vectors, mapping $mapping") {
      val plans = same(properties: _*)(
        "DELETE FROM $t WHERE k = 3",
        "UPDATE $t SET s = 'new', k = k + 1 WHERE k BETWEEN 5 AND 9 OR s LIKE '%4 and%'",
        "OPTIMIZE $t",
        "DELETE FROM $t WHERE n.a = 2",
        "OPTIMIZE $t ZORDER BY (k)",
        "DELETE FROM $t WHERE k = 4",
        "REORG TABLE $t APPLY (PURGE)"
      )
      assert(plans.exists(lateScans(_).nonEmpty))
    }

    test(s"MERGE; deletion vectors $vectors, mapping $mapping") {
      same(properties: _*)(
        "MERGE INTO $t t USING source s ON t.id = s.id WHEN MATCHED AND s.k < 50 THEN " +
          "UPDATE SET k = s.k WHEN MATCHED THEN DELETE " +
          "WHEN NOT MATCHED THEN INSERT (id, k, s) VALUES (s.id, s.k, s.s)",
        "MERGE INTO $t t USING (SELECT * FROM source WHERE k = 5) s ON t.id = s.id AND t.k < 60 " +
          "WHEN MATCHED THEN UPDATE SET s = s.s",
        "MERGE INTO $t t USING (SELECT * FROM source WHERE k < 50) s ON t.id = s.id " +
          "WHEN MATCHED THEN UPDATE SET s = s.s " +
          "WHEN NOT MATCHED BY SOURCE AND t.k = 7 THEN DELETE " +
          "WHEN NOT MATCHED BY SOURCE AND t.k = 8 THEN UPDATE SET k = 1",
        "MERGE INTO $t t USING (SELECT id + 1 AS id FROM source) s ON t.id = s.id " +
          "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
      )
    }
  }

  test("MERGE reads the files of its target in which keys of its source can lie") {
    for (vectors <- combinations("true", "false")) withTable("off_t", "on_t", "source") {
      spark.range(2000, 2050, 1, 1).selectExpr("id", "-1 AS k", "'new' AS s").unionAll(
        spark.range(100000, 100005, 1, 1).selectExpr("id", "-2 AS k", "'more' AS s")
      ).write.format("parquet").saveAsTable("source")
      Seq("off_t", "on_t").foreach { t =>
        spark.sql(
          s"CREATE TABLE $t (id BIGINT, k INT, s STRING) USING delta " +
            s"TBLPROPERTIES ('delta.enableDeletionVectors' = '$vectors')"
        )
        // In 20 files, each of 200 ids.
        spark.range(0, 4000, 1, 20)
          .selectExpr("id", "CAST(id % 100 AS INT) AS k", "concat('s', id) AS s")
          .write.format("delta").mode("append").saveAsTable(t)
      }
      Seq(
        "WHEN MATCHED THEN UPDATE SET k = source.k WHEN NOT MATCHED THEN INSERT *",
        "WHEN MATCHED AND t.k % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET s = source.s",
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.k = 3 THEN DELETE"
      ).zipWithIndex.foreach { case (clauses, i) =>
        def merge(t: String) =
          spark.sql(s"MERGE INTO $t AS t USING source ON t.id = source.id $clauses").collect()
        off(merge("off_t"))
        val ours = plans(merge("on_t"))
        withClue(s"vectors $vectors, $clauses\n${ours.mkString("\n")}") {
          assert(files("off_t") == files("on_t"))
          assert(metrics("off_t") == metrics("on_t"))
          checkAnswer(off(spark.table("on_t")), off(spark.table("off_t").collect().toSeq))
          if (i < 2) {
            val excluded = ours.flatMap(lateScans).filter(_.joinFilters.exists(_.onlyFiles))
              .map(_.metrics(Counter.FILES_EXCLUDED.key).value)
            assert(excluded.nonEmpty && excluded.forall(_ >= 18))
          }
        }
      }
    }
  }

  test("INSERT OVERWRITE, replaceWhere, INSERT REPLACE WHERE, constraints") {
    same("delta.enableDeletionVectors" -> "true")(
      "ALTER TABLE $t ADD CONSTRAINT positive CHECK (k >= 0)",
      "INSERT INTO $t SELECT id + 9000, k, s, d, n, p, l FROM $t WHERE k = 3",
      "INSERT INTO $t REPLACE WHERE k = 5 SELECT id, 5, 'replaced', d, n, p, l FROM $t WHERE k = 6",
      "INSERT OVERWRITE $t SELECT * FROM $t WHERE k < 60 AND s IS NOT NULL"
    )
  }
}
