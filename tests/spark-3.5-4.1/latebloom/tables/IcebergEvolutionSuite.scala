// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

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
}
