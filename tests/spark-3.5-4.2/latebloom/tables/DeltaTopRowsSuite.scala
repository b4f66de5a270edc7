// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.spark.sql.execution.SparkPlan

import latebloom.scan.{LateAggregateExec, LateScan}
import latebloom.toprows.AmongTopRows

/** First rows, limits, counts and extremes of Delta tables. */
class DeltaTopRowsSuite extends DeltaTest {

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.topK.minScanBytes", "0")
    spark.conf.set("spark.latebloom.topK.minSaved", "0")
  }

  private def searched(sql: String): Unit = sameAnswer(spark.sql(sql)) { plan =>
    val among = nodes(plan) {
      case s: LateScan if s.topRows.exists(_.isInstanceOf[AmongTopRows]) => s
    }
    assert(among.size == 1 && declined(plan).isEmpty)
  }

  private def aggregated(plan: SparkPlan) = nodes(plan) { case a: LateAggregateExec => a }

  for (mapping <- combinations("name", "none", "id"))
    test(s"the first rows of a table with deleted rows, columns mapped by $mapping") {
      withTable("t") {
        table("t")("delta.columnMapping.mode" -> mapping, "delta.enableDeletionVectors" -> "true")
        searched("SELECT * FROM t ORDER BY k DESC, id LIMIT 30")
        spark.sql("DELETE FROM t WHERE id % 10 = 3 OR id > 3900")
        searched("SELECT * FROM t ORDER BY id DESC LIMIT 30")
        searched("SELECT * FROM t WHERE k < 50 ORDER BY s NULLS FIRST, id LIMIT 20 OFFSET 10")
        searched("SELECT * FROM t VERSION AS OF 1 ORDER BY id DESC LIMIT 30")
        sameAnswer(spark.sql("SELECT max(id), min(k), count(s) FROM t")) { plan =>
          assert(aggregated(plan).size == 1)
        }
        sameAnswer(spark.sql("SELECT max(id), min(k), count(s) FROM t VERSION AS OF 1")) { plan =>
          assert(aggregated(plan).size == 1)
        }
      }
    }

  test("a table of partitions, into which rows are written between two queries") {
    withTable("t") {
      table("t", partitioned = true)()
      searched("SELECT * FROM t ORDER BY id DESC LIMIT 5")
      rows(5000, 5010).write.format("delta").mode("append").saveAsTable("t")
      searched("SELECT * FROM t ORDER BY id DESC LIMIT 5")
      searched("SELECT * FROM t WHERE p = 1 ORDER BY d DESC, id LIMIT 5")
      sameAnswer(spark.sql("SELECT p, max(id), count(*) FROM t GROUP BY p")) { plan =>
        assert(aggregated(plan).size == 1)
      }
    }
  }
}
