// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.ExpressionSet
import org.apache.spark.sql.delta.commands.cdc.CDCReader
import org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.streaming.Trigger

import latebloom.{BuiltFor, LineTest}

/** Reads of Delta tables, off against on. */
class DeltaReadsSuite extends DeltaTest {

  private val mappings = combinations("name", "none", "id")

  mappings.foreach { mapping =>
    test(s"conditions on columns, with columns mapped by $mapping") {
      withTable("t") {
        table("t")("delta.columnMapping.mode" -> mapping)
        taken("SELECT * FROM t WHERE k = 3")
        taken("SELECT id, s FROM t WHERE s LIKE '%1 and%'")
        taken("SELECT n.b FROM t WHERE n.a BETWEEN 3 AND 5 AND s IS NOT NULL")
        taken("SELECT l[0], n FROM t WHERE array_contains(l, 3) AND d > DATE'2020-06-01'")
        taken("SELECT count(*) FROM t WHERE k + id % 3 = 10 OR s < 'text 2'")
        taken("SELECT id FROM t WHERE NOT (k > 5 AND n.a > 2) AND s IN ('text 5 and more', 'x')")
      }
    }

    test(s"conditions on columns prune row groups, with columns mapped by $mapping") {
      withTable("t") {
        // Without statistics in the log, the files are opened.
        table("t")(
          "delta.columnMapping.mode" -> mapping,
          "delta.dataSkippingNumIndexedCols" -> "0"
        )
        Seq("k = 150", "n.a = 70", "d < DATE'2019-01-01' AND s IS NOT NULL").foreach { condition =>
          val scan = onlyScan(spark.sql(s"SELECT s FROM t WHERE $condition"))
          assert(scan.metrics("rowGroupsPruned").value == 4, condition)
          assert(scan.metrics("valuesDecoded").value == 0, condition)
        }
      }
    }

    test(s"partitions, with columns mapped by $mapping") {
      withTable("t") {
        table("t", partitioned = true)("delta.columnMapping.mode" -> mapping)
        taken("SELECT * FROM t WHERE k = 3 AND p = 3")
        taken("SELECT p, id FROM t WHERE k = 3 AND p > 1")
        taken("SELECT k, p FROM t WHERE k = p AND s LIKE '%3%'")
      }
    }

    test(s"columns that are renamed, added and dropped, mapped by $mapping") {
      assume(mapping != "none")
      withTable("t") {
        table("t")("delta.columnMapping.mode" -> mapping)
        spark.sql("ALTER TABLE t RENAME COLUMN k TO `k of it.all`")
        spark.sql("ALTER TABLE t RENAME COLUMN n.a TO `a a`")
        spark.sql("ALTER TABLE t ADD COLUMNS (k STRING AFTER id, n.c INT)")
        spark.sql("ALTER TABLE t DROP COLUMN s")
        spark.sql("ALTER TABLE t ADD COLUMN s INT")
        spark.sql(
          "INSERT INTO t SELECT id + 5000, concat('new', `k of it.all`), `k of it.all`, d, " +
            "named_struct('a a', 1, 'b', 'x', 'c', 2), p, l, 4 FROM t WHERE `k of it.all` < 50"
        )
        taken("SELECT * FROM t WHERE `k of it.all` = 3")
        taken("SELECT id, k, s FROM t WHERE k LIKE 'new%' OR k IS NULL AND n.`a a` = 4")
        taken("SELECT id, n FROM t WHERE n.c IS NULL AND s IS NULL AND n.`a a` < 3")
        taken("SELECT n.b, s FROM t WHERE s = 4 AND n.c = 2")
      }
    }
  }

  test("a path table with special characters") {
    withTempDir { dir =>
      val path = s"$dir/a b%20c=d+é#"
      rows(0, 3000).selectExpr("*", "concat('x y%/', k % 3, '=&#') AS q").write.format("delta")
        .partitionBy("q").save(path)
      def read = spark.read.format("delta").load(path)
      sameAnswer(read.where("k = 3"))(plan => assert(lateScans(plan).nonEmpty))
      sameAnswer(read.where("k = 3 AND q LIKE '%2=&#'"))(p => assert(lateScans(p).nonEmpty))
      sameAnswer(read.where("k < 3").selectExpr(
        "_metadata.file_path",
        "_metadata.file_name",
        "id"
      )) {
        plan => assert(lateScans(plan).nonEmpty)
      }
      sameAnswer(read.where("k < 3").selectExpr("input_file_name()", "id"))(p =>
        assert(lateScans(p).nonEmpty)
      )
    }
  }

  test("a part of a query that occurs twice has its files selected once") {
    withTable("t") {
      table("t", partitioned = true)("delta.columnMapping.mode" -> "name")
      val sql = "WITH x AS (SELECT id, k FROM t WHERE k BETWEEN 3 AND 9 AND p > 0) " +
        "SELECT a.id, b.k FROM x a JOIN x b ON a.id = b.id + 1 JOIN t c ON c.id = b.k WHERE c.k = 5"
      val df = spark.sql(sql)
      checkAnswer(df, off(spark.sql(sql).collect().toSeq))
      val scans = lateScans(df)
      assert(scans.map(_.output.map(_.exprId)).distinct.size >= 3)
      for (scan <- scans) {
        val index = scan.relation.location.asInstanceOf[PreparedDeltaFileIndex]
        val filters = scan.partitionFilters ++ scan.dataFilters
        val listed = scan.format.table.get.asListed(index, filters)
        assert(ExpressionSet(listed) == index.preparedScan.allFilters)
      }
    }
  }

  test("a table that Iceberg's readers can read as well") {
    withTable("t") {
      table("t")("delta.columnMapping.mode" -> "name", "delta.enableIcebergCompatV2" -> "true")
      spark.sql("DELETE FROM t WHERE id % 10 = 3")
      taken("SELECT * FROM t WHERE k = 5")
      taken("SELECT s, d, n FROM t WHERE n.b = 'b1' AND d > DATE'2020-06-01'")
    }
  }

  test("time travel") {
    withTable("t") {
      table("t")()
      rows(4000, 5000).write.format("delta").mode("append").saveAsTable("t")
      spark.sql("DELETE FROM t WHERE id % 2 = 0")
      spark.sql("UPDATE t SET k = 3 WHERE id < 100")
      (1 to 4).foreach { version =>
        taken(s"SELECT * FROM t VERSION AS OF $version WHERE k = 3")
      }
    }
  }

  test("generated and identity columns, CHAR and VARCHAR, defaults") {
    assume(spark.version.take(1) != "3", "SQL makes no generated columns")
    withTable("t") {
      spark.sql(
        "CREATE TABLE t (id BIGINT, c CHAR(5), v VARCHAR(9), g INT GENERATED ALWAYS AS " +
          "(CAST(id % 10 AS INT)), day DATE GENERATED ALWAYS AS (CAST(at AS DATE)), at TIMESTAMP, " +
          "e INT DEFAULT 3) USING delta PARTITIONED BY (day) " +
          "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
      )
      spark.sql(
        "INSERT INTO t (id, c, v, at, e) SELECT id, concat('c', id % 30), concat('v', id % 30), " +
          "timestamp_seconds(id * 3600), if(id % 3 = 0, id, NULL) FROM range(2000)"
      )
      spark.sql("INSERT INTO t (id, c, v, at) VALUES (7777, 'c1', 'v1', TIMESTAMP'2024-01-01')")
      taken("SELECT * FROM t WHERE c = 'c1'")
      taken("SELECT id, v FROM t WHERE v = 'v1' AND g > 2")
      taken("SELECT id, day FROM t WHERE at > TIMESTAMP'1970-02-01 00:00:00' AND e = 3")
    }
  }

  test("row tracking") {
    withTable("t") {
      table("t")("delta.enableRowTracking" -> "true", "delta.columnMapping.mode" -> "name")
      spark.sql("UPDATE t SET k = k + 1 WHERE id % 9 = 0")
      taken(
        "SELECT id, _metadata.row_id, _metadata.row_commit_version, _metadata.base_row_id, " +
          "_metadata.default_row_commit_version, _metadata.row_index FROM t WHERE k = 3"
      )
      taken("SELECT id, _metadata.row_id FROM t WHERE k = 3 AND _metadata.row_id % 2 = 0")
    }
  }

  test("type widening") {
    assume(LineTest.readsWider, "Spark reads no column as a wider type")
    withTable("t") {
      table("t", ", f FLOAT, b TINYINT, x DECIMAL(5, 2)")("delta.enableTypeWidening" -> "true")
      rows(0, 1000)
        .selectExpr(
          "*",
          "CAST(k AS FLOAT) AS f",
          "CAST(k AS TINYINT) AS b",
          "CAST(k AS DECIMAL(5, 2)) AS x"
        )
        .write.format("delta").mode("append").saveAsTable("t")
      spark.sql("ALTER TABLE t ALTER COLUMN k TYPE BIGINT")
      spark.sql("ALTER TABLE t ALTER COLUMN f TYPE DOUBLE")
      spark.sql("ALTER TABLE t ALTER COLUMN b TYPE INT")
      spark.sql("ALTER TABLE t ALTER COLUMN x TYPE DECIMAL(20, 2)")
      spark.sql(
        "INSERT INTO t SELECT id, 9000000000, s, d, n, p, l, 1e300, 70000, 99999999999.25 FROM t " +
          "WHERE k = 3"
      )
      taken("SELECT * FROM t WHERE k = 3")
      taken("SELECT id, k FROM t WHERE k > 8000000000")
      taken("SELECT id, f, b FROM t WHERE f > 90 AND b >= 90")
      taken("SELECT id, x FROM t WHERE x = 90 OR x > 99999999999")
    }
  }

  test("a shallow clone, a converted table, a clustered table, checkpoints of version 2") {
    withTable("t", "c", "z") {
      table("t")()
      spark.sql("CREATE TABLE c SHALLOW CLONE t")
      spark.sql("DELETE FROM c WHERE k = 4")
      taken("SELECT * FROM c WHERE k BETWEEN 3 AND 5")
      spark.sql("CREATE TABLE z (id BIGINT, k INT) USING delta CLUSTER BY (k) " +
        "TBLPROPERTIES ('delta.checkpointPolicy' = 'v2')")
      spark.sql("INSERT INTO z SELECT id, k FROM t")
      spark.sql("OPTIMIZE z")
      taken("SELECT * FROM z WHERE k = 3")
      withTempDir { dir =>
        rows(0, 2000).write.partitionBy("p").parquet(s"$dir/p")
        spark.sql(s"CONVERT TO DELTA parquet.`$dir/p` PARTITIONED BY (p INT)")
        taken(s"SELECT * FROM delta.`$dir/p` WHERE k = 3 AND p < 3")
      }
    }
  }

  test("the change data feed") {
    Seq("true", "false").foreach { vectors =>
      withTable("t") {
        table("t")(
          "delta.enableChangeDataFeed" -> "true",
          "delta.enableDeletionVectors" -> vectors
        )
        spark.sql("DELETE FROM t WHERE id % 10 = 3")
        spark.sql("UPDATE t SET k = k + 1 WHERE id % 10 = 4")
        def sum(plan: SparkPlan): Unit = ()
        sameAnswer(spark.sql("SELECT * FROM table_changes('t', 1) WHERE k = 5"))(sum)
        sameAnswer(
          spark.sql("SELECT id, _change_type FROM table_changes('t', 2) WHERE k < 5 AND id > 100")
        )(sum)
        // What such a relation runs.
        def changes = CDCReader.changesToBatchDF(log("t"), 1, 3, spark)
        sameAnswer(changes.where("k = 5")) { plan =>
          assert(lateScans(plan).nonEmpty)
          assert(declined(plan).isEmpty)
        }
      }
    }
  }

  test("streaming reads stay Delta's") {
    withTable("t") {
      table("t")()
      val seen = new java.util.concurrent.ConcurrentLinkedQueue[Boolean]
      val query = spark.readStream.table("t").where("k = 3").writeStream
        .trigger(Trigger.AvailableNow())
        .foreachBatch { (batch: DataFrame, _: Long) =>
          assert(batch.count() == 40)
          seen.add(true)
          ()
        }
        .start()
      query.awaitTermination()
      assert(!seen.isEmpty)
      def member(of: AnyRef, name: String) = of.getClass.getMethod(name).invoke(of)
      val last = member(member(query, "streamingQuery"), "lastExecution")
      val plan = last.asInstanceOf[QueryExecution].executedPlan
      assert(declined(plan) == Seq("streaming"))
      assert(lateScans(plan).isEmpty, plan)
    }
  }

  test("lists, maps and structs below renamed columns") {
    withTable("t") {
      spark.sql(
        "CREATE TABLE t (id BIGINT, a ARRAY<STRUCT<x: INT, y: STRING>>, m MAP<STRING, INT>, " +
          "o STRUCT<i: STRUCT<z: INT, w: STRING>>) USING delta " +
          "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
      )
      spark.sql(
        "INSERT INTO t SELECT id, array(named_struct('x', CAST(id % 9 AS INT), 'y', 'y')), " +
          "map('k', CAST(id % 7 AS INT), 'l', 3), named_struct('i', named_struct('z', " +
          "CAST(id % 5 AS INT), 'w', concat('w', id % 3))) FROM range(2000)"
      )
      spark.sql("ALTER TABLE t RENAME COLUMN a.element.x TO xx")
      spark.sql("ALTER TABLE t RENAME COLUMN o.i.z TO zz")
      spark.sql("ALTER TABLE t RENAME COLUMN m TO mm")
      taken("SELECT id, a[0].xx, mm['k'] FROM t WHERE o.i.zz = 3")
      taken("SELECT o.i, a FROM t WHERE mm['k'] = 2 AND o.i.w LIKE '%2'")
      taken("SELECT o FROM t WHERE a[0].xx = 4 AND o.i.zz IN (1, 2)")
    }
  }

  test("variants") {
    assume(BuiltFor.spark != "3.5")
    withTable("t") {
      spark.sql("CREATE TABLE t (id BIGINT, v VARIANT, s STRING) USING delta")
      spark.sql(
        "INSERT INTO t SELECT id, parse_json(concat('{\"a\": ', id % 9, '}')), concat('s', id % 4) " +
          "FROM range(1000)"
      )
      taken("SELECT id, v FROM t WHERE s = 's1'")
      taken("SELECT id FROM t WHERE variant_get(v, '$.a', 'int') = 3 AND s = 's1'")
    }
  }
}
