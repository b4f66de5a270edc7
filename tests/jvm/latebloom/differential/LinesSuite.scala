// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import latebloom.LateBloomTest
import latebloom.testkit.RowGroups

/** What Spark does in other ways from line to line, with the same answer. */
class LinesSuite extends LateBloomTest {

  private def withData(body: => Unit): Unit = withTable("t") {
    spark.range(0, 4000, 1, 2)
      .selectExpr("id", "cast(id % 50 as int) k", "cast(id % 7 as int) n", "concat('s', id % 11) s")
      .write.options(RowGroups.of(500)).saveAsTable("t")
    body
  }

  test("subqueries that Spark merges into one scan") {
    val two = "select (select sum(id) from t where k = 1) a, (select max(id) from t where k = 2) b"
    val same = "select (select sum(id) from t where k = 1) a, (select max(s) from t where k = 1) b"
    val all = "select (select sum(id) from t where k = 1) a, (select count(s) from t) b"
    withData {
      for (on <- Seq("true", "false")) {
        val merging = "spark.sql.optimizer.mergeSubplans.filterPropagation"
        withSQLConf(
          s"$merging.enabled" -> on,
          s"$merging.throughJoin.enabled" -> on,
          s"$merging.symmetricFilterPropagation.enabled" -> on
        ) {
          sameAnswer(spark.sql(same))(plan => assert(lateScans(plan).nonEmpty))
          sameAnswer(spark.sql(two))(_ => ())
          sameAnswer(spark.sql(all))(_ => ())
        }
      }
    }
  }

  test("an interval in a struct in a list, which Spark's reader decodes") {
    withTempPath { dir =>
      spark.range(0, 1000, 1, 1)
        .selectExpr(
          "id",
          "array(struct(make_dt_interval(cast(id % 3 as int)) d, " +
            "make_ym_interval(cast(id % 4 as int)) m, id % 5 n)) l"
        )
        .write.parquet(dir.getPath)
      sameAnswer(spark.read.parquet(dir.getPath).where("id % 10 = 3").select("l")) { plan =>
        assert(lateScans(plan).size == 1)
      }
    }
  }
}
