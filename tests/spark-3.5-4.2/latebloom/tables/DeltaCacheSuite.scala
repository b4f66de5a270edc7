// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import latebloom.cache.PredicateCache
import latebloom.estimate.SizedScans

/** What scans of a Delta table remember holds for every version of the table. */
class DeltaCacheSuite extends DeltaTest {

  private def leftOut(query: String): Long = remembered(onlyScan(spark.sql(query)))

  test("deleted, restored and rewritten rows, and versions") {
    withTable("t") {
      table("t")("delta.enableDeletionVectors" -> "true")
      PredicateCache.clear()
      val query = "SELECT id, s FROM t WHERE id = 1234"
      taken(query)
      assert(leftOut(query) >= 3, "the files never change: no need to wait until they have rested")
      spark.sql("DELETE FROM t WHERE id = 1234")
      taken(query)
      taken("SELECT * FROM t VERSION AS OF 1 WHERE id = 1234")
      spark.sql("RESTORE TABLE t TO VERSION AS OF 1")
      taken(query)
      assert(spark.sql(query).count() == 1)
      // Learnt where rows are deleted, used where they are not.
      spark.sql("DELETE FROM t WHERE id % 3 = 0")
      val other = "SELECT s FROM t WHERE id BETWEEN 1000 AND 1010"
      taken(other)
      spark.sql("RESTORE TABLE t TO VERSION AS OF 1")
      taken(other)
      assert(spark.sql(other).count() == 11)
      spark.sql("UPDATE t SET id = 1234 WHERE id = 77")
      taken(query)
      spark.sql("OPTIMIZE t")
      taken(query)
      assert(leftOut(query) >= 0 && spark.sql(query).count() == 2)
    }
  }

  test("a column that takes another's name is another column") {
    withTable("t") {
      table("t")(
        "delta.columnMapping.mode" -> "name",
        "delta.minReaderVersion" -> "2",
        "delta.minWriterVersion" -> "5"
      )
      PredicateCache.clear()
      val query = "SELECT id FROM t WHERE k = 55"
      taken(query)
      spark.sql("ALTER TABLE t RENAME COLUMN k TO old")
      spark.sql("ALTER TABLE t RENAME COLUMN p TO k")
      taken(query)
      taken("SELECT id FROM t WHERE k = 2")
      spark.sql("ALTER TABLE t RENAME COLUMN k TO q")
      spark.sql("ALTER TABLE t RENAME COLUMN old TO k")
      taken(query)
      assert(spark.sql(query).count() == 40)
    }
  }

  test("rows are counted as if none were deleted, since another version has them") {
    withTable("t") {
      table("t")("delta.enableDeletionVectors" -> "true")
      val query = "SELECT id, s FROM t WHERE id BETWEEN 1000 AND 1999"
      def known = SizedScans.knownSize(spark.sql(query).queryExecution.optimizedPlan).map(_.rows)
      spark.sql("DELETE FROM t WHERE id % 2 = 0")
      assert(known.isEmpty)
      taken(query)
      assert(known.exists(_ >= 1000) && spark.sql(query).count() == 500)
      spark.sql("RESTORE TABLE t TO VERSION AS OF 1")
      assert(known.forall(_ >= 1000) && spark.sql(query).count() == 1000)
      taken(query)
      assert(known.contains(1000L))
      spark.sql("OPTIMIZE t")
      assert(known.isEmpty)
    }
  }
}
