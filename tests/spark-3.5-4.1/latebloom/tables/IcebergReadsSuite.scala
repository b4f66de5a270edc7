// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.iceberg.Schema
import org.apache.iceberg.catalog.TableIdentifier
import org.apache.iceberg.spark.SparkCatalog
import org.apache.iceberg.types.Types.{FixedType, LongType, NestedField, StructType, UUIDType}

import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.functions.lit

import latebloom.read.task.Counter

/** Filtered scans of Iceberg tables, off against on. */
class IcebergReadsSuite extends IcebergTest {

  private val Deletes = Seq("write.delete.mode" -> "merge-on-read")

  for (version <- Seq("2", "3")) test(s"filters of all columns; format version $version") {
    table("t")("format-version" -> version)
    taken("SELECT * FROM ice.db.t WHERE s = 'text 7 and more'")
    taken("SELECT id, n FROM ice.db.t WHERE k < 3 AND d > DATE'2020-05-05'")
    taken("SELECT s FROM ice.db.t WHERE n.a = 7")
    taken("SELECT id FROM ice.db.t WHERE n.b LIKE '%2' AND l[1] = 3")
    taken("SELECT id, m FROM ice.db.t WHERE m['a'] = 3 AND z > 5")
    taken("SELECT x FROM ice.db.t WHERE t > TIMESTAMP'1970-01-20 00:00:00' AND x < 2000")
    taken("SELECT count(*), max(id) FROM ice.db.t WHERE k = 5")
  }

  for (version <- Seq("2", "3")) test(s"deleted rows are left out; format version $version") {
    table("t")(Deletes :+ "format-version" -> version: _*)
    spark.sql("DELETE FROM ice.db.t WHERE id % 10 = 3")
    taken("SELECT * FROM ice.db.t WHERE k = 13 OR k = 14")
    taken("SELECT count(*) FROM ice.db.t WHERE s IS NULL AND k > 5")
    spark.sql("DELETE FROM ice.db.t WHERE id BETWEEN 1000 AND 1100")
    val scan = onlyScan(spark.sql("SELECT id FROM ice.db.t WHERE k = 4"))
    assert(scan.metrics(Counter.FILES_OF_TABLE.key).value == 0)
    assert(scan.metadata("DeletedRows") == "left out")
    spark.sql("UPDATE ice.db.t SET s = 'changed' WHERE k = 4")
    taken("SELECT id, s FROM ice.db.t WHERE k = 4 OR id > 1090")
  }

  test("partitions of each transform, and of none") {
    val all =
      combinations(4)("p, s", "days(t)", "bucket(4, id)", "truncate(5, s), p", "p", "d", "x", "z")
    for (by <- all) {
      create("t", by)()
      rows(0, 1000).writeTo("ice.db.t").append()
      taken("SELECT * FROM ice.db.t WHERE k = 5 AND p = 1")
      taken("SELECT p, s, d, x, z FROM ice.db.t WHERE k < 3")
      taken("SELECT id FROM ice.db.t WHERE s LIKE '%7%' AND p IN (1, 2) AND k > 7")
      taken("SELECT id FROM ice.db.t WHERE k < 3 AND (p = 1 OR s = 'text 7 and more')")
    }
  }

  test("zeros of both signs are partitions of their own") {
    create("t", "z")()
    // A write with both would put them into one.
    Seq(0.0, -0.0).foreach(z => rows(0, 400).withColumn("z", lit(z)).writeTo("ice.db.t").append())
    taken("SELECT id, z FROM ice.db.t WHERE k = 3 OR k = 4")
  }

  test("a query that is planned with LateBloom and executed without") {
    table("t", "p")()
    val sql = "SELECT id, s, p FROM ice.db.t WHERE k = 5 AND p < 3"
    val expected = off(spark.sql(sql).collect().toSeq)
    Seq("true", "false").foreach { adaptive =>
      under("spark.sql.adaptive.enabled" -> adaptive) {
        val query = spark.sql(sql)
        assert(
          query.queryExecution.sparkPlan.collectLeaves().forall(_.isInstanceOf[FileSourceScanExec])
        )
        off(checkAnswer(query, expected))
        assert(lateScans(query).isEmpty)
      }
    }
  }

  test("what nothing filters stays Iceberg's scan") {
    table("t", "p")()
    left("no-filter")("SELECT id, s FROM ice.db.t")
    left("no-filter")("SELECT id, s FROM ice.db.t WHERE p = 2")
    left("not-selective")("SELECT id, s FROM ice.db.t WHERE id IS NOT NULL")
    left("iceberg-file-names")(
      "SELECT id, input_file_name() LIKE 'file%' FROM ice.db.t WHERE k = 3"
    )
    left("iceberg-files")("SELECT count(*) FROM ice.db.t.files WHERE content = 0")
    // Iceberg answers it without a scan.
    left()("SELECT count(*) FROM ice.db.t")
    spark.sql("ALTER TABLE ice.db.t SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    spark.sql("DELETE FROM ice.db.t WHERE id % 10 = 3")
    left("iceberg-column")("SELECT pos FROM ice.db.t.position_deletes WHERE pos > 5")
    left("iceberg-files")("SELECT status FROM ice.db.t.entries WHERE status < 2")
    left("iceberg-files")("SELECT record_count FROM ice.db.t.partitions WHERE record_count > 5")
  }

  test("bytes of a fixed length; UUIDs are Iceberg's") {
    spark.sql("DROP TABLE IF EXISTS ice.db.f")
    val schema = new Schema(
      NestedField.optional(1, "id", LongType.get),
      NestedField.optional(2, "f", FixedType.ofLength(5)),
      NestedField.optional(3, "u", UUIDType.get),
      NestedField.optional(
        4,
        "n",
        StructType.of(NestedField.optional(5, "g", FixedType.ofLength(1)))
      )
    )
    val catalog = spark.sessionState.catalogManager.catalog("ice").asInstanceOf[SparkCatalog]
    catalog.icebergCatalog.createTable(TableIdentifier.of("db", "f"), schema)
    spark.range(0, 3000, 1, 2).selectExpr(
      "id",
      "IF(id % 7 = 0, NULL, CAST(lpad(id % 300, 5, '0') AS BINARY)) AS f",
      "uuid() AS u",
      "named_struct('g', CAST(CAST(id % 10 AS STRING) AS BINARY)) AS n"
    ).writeTo("ice.db.f").append()
    taken("SELECT id, f, n FROM ice.db.f WHERE id % 100 = 7")
    taken("SELECT id FROM ice.db.f WHERE f = CAST('00012' AS BINARY)")
    taken("SELECT id, f FROM ice.db.f WHERE f > CAST('00280' AS BINARY) AND n.g < X'33'")
    taken("SELECT f, count(*), max(f) FROM ice.db.f WHERE id % 100 < 7 GROUP BY f")
    taken("SELECT a.id FROM ice.db.f a JOIN ice.db.f b ON a.f = b.f WHERE b.id = 12 AND a.id > 5")
    val scan = onlyScan(spark.sql("SELECT f FROM ice.db.f WHERE f = CAST('00012' AS BINARY)"))
    assert(scan.metrics(Counter.FILES_OF_TABLE.key).value == 0)
    left("iceberg-column")("SELECT id, u FROM ice.db.f WHERE id % 100 = 7")
  }
}
