// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import org.apache.spark.sql.DataFrame

import latebloom.LateBloomTest

/** Texts with collations, alone, in structs, lists and maps, and as partitions: as filter columns
  * and as payload, read late and eagerly.
  */
class CollationSuite extends LateBloomTest {

  private val Text = "STRING COLLATE UTF8_LCASE"

  for ((visit, eager) <- Seq("late" -> "1.0", "eagerly" -> "0.0")) test(s"read $visit") {
    withTable("t") {
      spark.range(0, 2000, 1, 2)
        .selectExpr("id", "id % 50 k", "concat(if(id % 2 = 0, 'A', 'a'), id % 7) s")
        .createOrReplaceTempView("plain")
      spark.sql(
        s"create table t (id bigint, k bigint, s $Text, n struct<a: $Text, b: int>, l array<$Text>, " +
          s"m map<string, $Text>, p string) using parquet partitioned by (p)"
      )
      spark.sql(
        "insert into t select id, k, if(k = 9, null, s), " +
          "if(k = 8, null, named_struct('a', s, 'b', int(k % 3))), " +
          "array(s, 'x'), map('key', s), if(id % 3 = 0, 'P', 'q') from plain"
      )
      withSQLConf("spark.latebloom.scan.eagerFraction" -> eager) {
        def taken(where: String, what: String = "*"): Unit = {
          def df: DataFrame = spark.sql(s"select $what from t where $where")
          sameAnswer(df)(plan => assert(lateScans(plan).size == 1, where))
          assert(df.count() > 0, where)
        }
        taken("k = 7")
        taken("k = 7 and s = 'a3'")
        taken("k < 20 and s in ('A1', 'a5')", "id, p")
        taken("k < 20 and n = named_struct('a', 'A3' collate UTF8_LCASE, 'b', 1)")
        taken("k < 20 and n.a = 'A3'", "id, n")
        taken("k < 20 and array_contains(l, 'a2')", "id, l")
        taken("k < 20 and m['key'] = 'a2'", "m, n")
        taken("k < 20 and p collate UTF8_LCASE = 'p' and s = 'a2'", "id, s, p")
        taken("n is null and k < 9")
      }
    }
  }
}
