// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import latebloom.cache.PredicateCache

/** What scans of an Iceberg table remember holds for every snapshot of the table. */
class IcebergCacheSuite extends IcebergTest {

  private def leftOut(query: String): Long = remembered(onlyScan(spark.sql(query)))

  test("deletes, snapshots and columns that change their names") {
    table("c")("format-version" -> "2", "write.delete.mode" -> "merge-on-read")
    PredicateCache.clear()
    // No bounds of files or pages rule out a text in the middle of others.
    val query = "SELECT id FROM ice.db.c WHERE s LIKE 'text 41%' AND id > 10"
    val rare = "SELECT id, s FROM ice.db.c WHERE k = id AND id > 97"
    Seq(query, rare).foreach(taken)
    assert(leftOut(rare) > 0)
    val first = spark.sql("SELECT snapshot_id FROM ice.db.c.snapshots").head().getLong(0)
    spark.sql("DELETE FROM ice.db.c WHERE id BETWEEN 98 AND 98")
    Seq(query, rare).foreach(taken)
    taken("SELECT id, s FROM ice.db.c WHERE k = id AND id >= 0")
    taken(s"SELECT id FROM ice.db.c VERSION AS OF $first WHERE k = id AND id > 97")
    spark.sql("ALTER TABLE ice.db.c RENAME COLUMN k TO old")
    spark.sql("ALTER TABLE ice.db.c RENAME COLUMN p TO k")
    taken("SELECT id, s FROM ice.db.c WHERE k = id AND id >= 0")
    spark.sql("ALTER TABLE ice.db.c RENAME COLUMN k TO p")
    spark.sql("ALTER TABLE ice.db.c RENAME COLUMN old TO k")
    taken(rare)
    spark.sql(s"CALL ice.system.rollback_to_snapshot('db.c', $first)")
    taken(rare)
    assert(spark.sql(rare).count() == 2)
  }
}
