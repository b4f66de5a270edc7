// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import java.io.File
import java.net.URI

import org.apache.iceberg.FileFormat
import org.apache.iceberg.data.{GenericFileWriterFactory, GenericRecord}
import org.apache.iceberg.io.OutputFileFactory
import org.apache.iceberg.spark.Spark3Util

import org.apache.spark.sql.internal.SQLConf

import latebloom.read.task.Counter

/** Filtered scans of Iceberg tables whose schema, partitions and files have changed. */
class IcebergEvolutionSuite extends IcebergTest {

  /** How many files of a query Iceberg's reader has read. */
  private def leftFiles(query: String): Long =
    onlyScan(spark.sql(query)).metrics(Counter.FILES_OF_TABLE.key).value

  test("columns that are added, dropped, renamed, moved and added again") {
    table("t")()
    spark.sql("ALTER TABLE ice.db.t ADD COLUMN more STRING")
    taken("SELECT id, more FROM ice.db.t WHERE k = 5 AND more IS NULL")
    rows(4000, 5000).selectExpr("*", "concat('m', id % 10) AS more").writeTo("ice.db.t").append()
    taken("SELECT id, more FROM ice.db.t WHERE more = 'm7'")
    taken("SELECT id, more FROM ice.db.t WHERE more IS NULL AND k < 4")
    spark.sql("ALTER TABLE ice.db.t RENAME COLUMN k TO s2")
    spark.sql("ALTER TABLE ice.db.t RENAME COLUMN s TO k")
    spark.sql("ALTER TABLE ice.db.t RENAME COLUMN s2 TO s")
    taken("SELECT id, k FROM ice.db.t WHERE s = 5")
    taken("SELECT id, s FROM ice.db.t WHERE k = 'text 9 and more' AND s > 7")
    spark.sql("ALTER TABLE ice.db.t DROP COLUMN s")
    spark.sql("ALTER TABLE ice.db.t ADD COLUMN s INT")
    taken("SELECT id, s FROM ice.db.t WHERE s IS NULL AND id % 100 = 7")
    taken("SELECT id FROM ice.db.t WHERE s = 5")
    spark.sql("ALTER TABLE ice.db.t ALTER COLUMN x FIRST")
    taken("SELECT * FROM ice.db.t WHERE x < 50")
    assert(leftFiles("SELECT * FROM ice.db.t WHERE x < 50") == 0)
  }

  test("fields of structs that files lack are Iceberg's") {
    table("t")()
    spark.sql("ALTER TABLE ice.db.t ADD COLUMN n.c INT")
    spark.sql("ALTER TABLE ice.db.t RENAME COLUMN n.a TO first")
    taken("SELECT id, n FROM ice.db.t WHERE k = 5")
    assert(leftFiles("SELECT id, n FROM ice.db.t WHERE k = 5") > 0)
    taken("SELECT id FROM ice.db.t WHERE n.first = 5")
    assert(leftFiles("SELECT id FROM ice.db.t WHERE n.first = 5") == 0)
    taken("SELECT id, n.c FROM ice.db.t WHERE n.first = 5 AND n.c IS NULL")
  }

  test("files from before a column was widened are Iceberg's") {
    table("t")()
    spark.sql("ALTER TABLE ice.db.t ALTER COLUMN k TYPE BIGINT")
    spark.sql("ALTER TABLE ice.db.t ALTER COLUMN x TYPE DECIMAL(20, 2)")
    spark.sql("INSERT INTO ice.db.t SELECT * FROM ice.db.t WHERE id < 500")
    taken("SELECT id, k FROM ice.db.t WHERE k = 5")
    taken("SELECT id, x FROM ice.db.t WHERE x > 3990")
    assert(leftFiles("SELECT id, k FROM ice.db.t WHERE k = 5") > 0)
    assert(leftFiles("SELECT s FROM ice.db.t WHERE id = 5") == 0)
  }

  test("partition specs that change") {
    create("t", "p")()
    rows(0, 1000).writeTo("ice.db.t").append()
    val query = "SELECT id, p, s, d FROM ice.db.t WHERE k = 5"
    assert(onlyScan(spark.sql(query)).relation.partitionSchema.fieldNames.toSeq == Seq("p"))
    spark.sql("ALTER TABLE ice.db.t DROP PARTITION FIELD p")
    spark.sql("ALTER TABLE ice.db.t ADD PARTITION FIELD bucket(3, id)")
    rows(1000, 2000).writeTo("ice.db.t").append()
    assert(onlyScan(spark.sql(query)).relation.partitionSchema.isEmpty)
    spark.sql("ALTER TABLE ice.db.t ADD PARTITION FIELD s")
    rows(2000, 3000).writeTo("ice.db.t").append()
    taken(query)
    taken("SELECT * FROM ice.db.t WHERE p = 2 AND k < 6")
    taken("SELECT count(*) FROM ice.db.t WHERE s = 'text 7 and more' AND k > 3")
    assert(leftFiles(query) == 0)
  }

  test("files that were added without ids, and files of other formats") {
    create("t")()
    rows(0, 1000).writeTo("ice.db.t").append()
    withTempPath { path =>
      rows(1000, 2000).write.parquet(path.getAbsolutePath)
      spark.sql(
        s"CALL ice.system.add_files(table => 'db.t', source_table => '`parquet`.`$path`')"
      )
      taken("SELECT id, s, n FROM ice.db.t WHERE k = 5")
      assert(leftFiles("SELECT id, s FROM ice.db.t WHERE k = 5") == 1)
      Seq("orc", "avro").foreach { format =>
        spark.sql(s"ALTER TABLE ice.db.t SET TBLPROPERTIES ('write.format.default' = '$format')")
        rows(2000, 2500).writeTo("ice.db.t").append()
        taken("SELECT id, s, n FROM ice.db.t WHERE k = 5")
      }
      assert(leftFiles("SELECT id, s FROM ice.db.t WHERE k = 5") == 3)
      taken("SELECT * FROM ice.db.t WHERE k = 5 ORDER BY id DESC LIMIT 7")
    }
    create("o")("write.format.default" -> "orc")
    rows(0, 100).writeTo("ice.db.o").append()
    left("iceberg-files")("SELECT id, s FROM ice.db.o WHERE k = 5")
  }

  test("snapshots, branches, tags and increments") {
    table("t")("write.delete.mode" -> "merge-on-read")
    def snapshot() =
      spark.sql("SELECT snapshot_id FROM ice.db.t.snapshots ORDER BY committed_at DESC").head()
        .getLong(0)
    val first = snapshot()
    spark.sql("ALTER TABLE ice.db.t CREATE BRANCH side")
    spark.sql("ALTER TABLE ice.db.t CREATE TAG begin")
    rows(4000, 5000).writeTo("ice.db.t").append()
    val second = snapshot()
    spark.sql("DELETE FROM ice.db.t WHERE id % 3 = 1")
    spark.sql("INSERT INTO ice.db.t.branch_side SELECT * FROM ice.db.t WHERE id < 10")
    spark.sql("ALTER TABLE ice.db.t RENAME COLUMN s TO label")
    taken("SELECT * FROM ice.db.t WHERE k = 5")
    taken("SELECT * FROM ice.db.t.branch_side WHERE k = 5")
    taken("SELECT * FROM ice.db.t VERSION AS OF 'begin' WHERE k = 5")
    taken(s"SELECT s FROM ice.db.t VERSION AS OF $first WHERE k = 5")
    taken(
      s"SELECT a.id FROM ice.db.t VERSION AS OF $first a JOIN ice.db.t b ON a.id = b.id WHERE a.k = 3 AND b.k < 50"
    )
    def increment = spark.read.option("start-snapshot-id", first.toString)
      .option("end-snapshot-id", second.toString).table("ice.db.t").where("k = 5")
    sameAnswer(increment)(plan => assert(lateScans(plan).size == 1))
    def split = spark.read.option("split-size", "1000").table("ice.db.t").where("k = 5")
    sameAnswer(split)(plan => assert(declined(plan) == Seq("iceberg-options")))
  }

  test("equality deletes are Iceberg's, file by file") {
    create("t")()
    rows(0, 500).writeTo("ice.db.t").append()
    val table = Spark3Util.loadIcebergTable(spark, "ice.db.t")
    val key = table.schema.select("id")
    val factory = new GenericFileWriterFactory.Builder(table)
      .deleteFileFormat(FileFormat.PARQUET)
      .equalityFieldIds(Array(table.schema.findField("id").fieldId))
      .equalityDeleteRowSchema(key)
      .build()
    val out = OutputFileFactory.builderFor(table, 1, 1).format(FileFormat.PARQUET).build()
    val writer = factory.newEqualityDeleteWriter(out.newOutputFile(), table.spec, null)
    (0L until 500 by 3).foreach { id =>
      val record = GenericRecord.create(key)
      record.setField("id", id)
      writer.write(record)
    }
    writer.close()
    table.newRowDelta().addDeletes(writer.toDeleteFile).commit()
    left("iceberg-files")("SELECT id, s FROM ice.db.t WHERE k = 6")
    // Later files are not concerned.
    rows(500, 1000).writeTo("ice.db.t").append()
    taken("SELECT id, s FROM ice.db.t WHERE k = 6")
    assert(leftFiles("SELECT id, s FROM ice.db.t WHERE k = 6") == 1)
    taken("SELECT * FROM ice.db.t WHERE k < 50 ORDER BY id DESC LIMIT 3")
  }

  test("names with dots and quotes, and names that differ in case only") {
    spark.sql("DROP TABLE IF EXISTS ice.db.odd")
    spark.sql(
      "CREATE TABLE ice.db.odd (`a.b` INT, `c``d` STRING, `Größe` INT, `x y` INT) USING iceberg"
    )
    spark.range(100).selectExpr(
      "CAST(id AS INT) `a.b`",
      "CAST(id AS STRING) `c``d`",
      "CAST(id AS INT) `Größe`",
      "CAST(id AS INT) `x y`"
    ).writeTo("ice.db.odd").append()
    taken("SELECT * FROM ice.db.odd WHERE `a.b` = 5")
    taken("SELECT `a.b` FROM ice.db.odd WHERE `c``d` LIKE '%7%' AND `Größe` > 3 AND `x y` < 50")
    table("t")()
    taken(
      "SELECT o.`x y`, t.s FROM ice.db.t t JOIN ice.db.odd o ON t.id = o.`a.b` WHERE o.`x y` = 5 AND t.k < 50"
    )
    withSQLConf(SQLConf.CASE_SENSITIVE.key -> "true") {
      spark.sql("DROP TABLE IF EXISTS ice.db.two")
      spark.sql("CREATE TABLE ice.db.two (a INT, A INT, b INT) USING iceberg")
      spark.sql("INSERT INTO ice.db.two SELECT id, id + 1, id + 2 FROM range(100)")
      taken("SELECT * FROM ice.db.two WHERE a = 5")
    }
  }

  test("settings of Spark's file sources do not change what Iceberg reads") {
    table("t")()
    withSQLConf(
      SQLConf.IGNORE_CORRUPT_FILES.key -> "true",
      SQLConf.IGNORE_MISSING_FILES.key -> "true",
      SQLConf.PARQUET_BINARY_AS_STRING.key -> "true",
      SQLConf.PARQUET_REBASE_MODE_IN_READ.key -> "LEGACY"
    ) {
      taken("SELECT * FROM ice.db.t WHERE k = 5")
      spark.sql(
        "INSERT INTO ice.db.t SELECT id, 5, s, DATE'1200-01-01', t, n, p, l, m, x, z FROM ice.db.t " +
          "WHERE id = 1"
      )
      taken("SELECT id, d FROM ice.db.t WHERE k = 5 AND d < DATE'1990-01-01'")
      val file = spark.sql("SELECT file_path FROM ice.db.t.files").head().getString(0)
      assert(new File(new URI(file)).delete())
      intercept[Exception](spark.sql("SELECT * FROM ice.db.t WHERE k = 5").collect())
    }
  }
}
