// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import latebloom.{BuiltFor, LateBloomTest}
import latebloom.testkit.RowGroups

/** Columns of TIME. */
class TimeSuite extends LateBloomTest {

  /** ORC holds them from Spark 4.2 on. */
  private val formats = if (BuiltFor.spark == "4.1") Seq("parquet") else Seq("parquet", "orc")

  test("times of day are filter columns and payload") {
    for (format <- formats) withTempPath { dir =>
      spark.range(0, 3000, 1, 1)
        .selectExpr(
          "id",
          "cast(id % 50 as int) k",
          "if(id % 13 = 0, null, make_time(cast(id div 125 as int), cast(id % 60 as int), " +
            "cast(id % 60 + 0.000001 as decimal(16, 6)))) t"
        )
        .write.options(RowGroups.of(500)).format(format).save(dir.getPath)
      def table = spark.read.format(format).load(dir.getPath)
      for {
        query <- Seq(
          table.where("k = 7").select("id", "t"),
          table.where("t between time'03:00:00' and time'04:30:00'").select("id"),
          table.where("t < time'03:00:00' or t is null").select("id", "k"),
          table.where("hour(t) = 5").select("id", "t"),
          table.where("t in (time'00:08:08.000001', time'23:59:59')").select("id")
        )
      } withClue(s"$format: ") {
        sameAnswer(query)(plan => assert(lateScans(plan).size == 1))
      }
    }
  }
}
