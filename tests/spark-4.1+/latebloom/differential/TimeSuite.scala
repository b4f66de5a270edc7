// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.internal.SQLConf

import latebloom.testkit.RowGroups
import latebloom.{BuiltFor, LateBloomTest}

/** Columns of TIME. */
class TimeSuite extends LateBloomTest {

  /** ORC holds them from Spark 4.2 on. */
  private val formats = if (BuiltFor.spark == "4.1") Seq("parquet") else Seq("parquet", "orc")

  /** Spark 4.2 fails to push comparisons of TIME down to ORC. */
  private val sparks = Seq("4.2").filter(_ == BuiltFor.spark)
    .map(_ => SQLConf.ORC_FILTER_PUSHDOWN_ENABLED.key -> "false")

  private def withTimes(format: String)(body: String => Unit): Unit =
    withSQLConf("spark.sql.timeType.enabled" -> "true")(withTempPath { dir =>
      spark.range(0, 3000, 1, 1)
        .selectExpr(
          "id",
          "cast(id % 50 as int) k",
          "if(id % 13 = 0, null, make_time(cast(id div 125 as int), cast(id % 60 as int), " +
            "cast(id % 60 + 0.000001 as decimal(16, 6)))) t"
        )
        .selectExpr("*", "array(t, null) ts", "named_struct('t', t, 'k', k) st", "map(k, t) m")
        .write.options(RowGroups.of(500)).format(format).save(dir.getPath)
      body(dir.getPath)
    })

  test("times of day are filter columns and payload") {
    for (format <- formats) withTimes(format) { dir =>
      def table = spark.read.format(format).load(dir)
      val queries = Seq[DataFrame => DataFrame](
        _.where("k = 7").select("id", "t"),
        _.where("t between time'03:00:00' and time'04:30:00'").select("id"),
        _.where("t < time'03:00:00' or t is null").select("id", "k"),
        _.where("hour(t) = 5").select("id", "t"),
        _.where("k = 7").select("ts", "st", "m"),
        _.where("st.t < time'03:00:00' and k > 20").select("id", "st"),
        _.where("element_at(ts, 1) < time'03:00:00'").select("id", "ts"),
        _.where("t in (time'00:08:08.000001', time'23:59:59')").select("id")
      )
      for (query <- queries) withClue(s"$format: ") {
        sameAnswerAs(sparks: _*)(query(table))(plan => assert(lateScans(plan).size == 1))
      }
    }
  }
}
