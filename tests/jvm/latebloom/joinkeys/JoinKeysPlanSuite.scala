// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest

class JoinKeysPlanSuite extends LateBloomTest {

  test("the node for broadcast keys passes Spark's check of plans when it is optimised again") {
    withTable("fact", "dim") {
      spark.sql("select id % 50 as k from range(2000)").write.saveAsTable("fact")
      spark.sql("select id as k, id % 7 as few from range(200)").write.saveAsTable("dim")
      withSQLConf(
        "spark.latebloom.join.minScanBytes" -> "0",
        SQLConf.PLAN_CHANGE_VALIDATION.key -> "true"
      ) {
        // The scan of `fact` starts with the broadcast, so that its subquery waits for that.
        val grouped = "select k, count(*) as n from fact group by k"
        val query =
          s"select /*+ broadcast(dim) */ * from ($grouped) join dim using (k) where few = 3"
        sameAnswer(spark.sql(query), adaptive = true) { plan =>
          assert(lateScans(plan).exists(_.joinFilters.nonEmpty))
        }
      }
    }
  }
}
