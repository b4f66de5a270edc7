// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest
import latebloom.inspect.ScanReport

/** Keys of a side that turns out to keep nearly all of its rows. */
class PassRateSuite extends LateBloomTest {

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.join.minScanBytes", "0")
    spark.range(0, 100000, 1, 1).selectExpr("id", "id % 20 few").write.saveAsTable("dim")
    spark.range(0, 200000, 1, 1).selectExpr("id", "id % 100000 k").write.saveAsTable("fact")
  }

  override def afterAll(): Unit =
    try Seq("fact", "dim").foreach(t => spark.sql(s"drop table if exists $t"))
    finally super.afterAll()

  /** What became of the keys of dim's rows with `few` in this list. */
  private def outcome(few: String): String = {
    var told = ""
    sameAnswer(
      spark.sql(s"select f.id from fact f join dim d on f.k = d.id where d.few in ($few)"),
      adaptive = true
    ) { plan =>
      told = ScanReport.ofPlan(plan).flatMap(_.filters.outcomes).mkString("\n")
    }
    told
  }

  for (threshold <- Seq("-1", "100m")) test(s"broadcasts up to $threshold") {
    withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> threshold) {
      val most = (0 until 18).mkString(", ")
      assert(outcome(most).contains("none, the other side keeps 90 % of its rows"))
      assert(outcome("1, 2, 3, 4").contains("20,000 keys"))
      // Most of few rows.
      assert(outcome("7").contains("5,000 keys"))
    }
  }
}
