// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest

/** Tests conditions on arrays and maps that contain nulls: the vectors that a scan evaluates them
  * on hold a number in the place of a null.
  */
class CatalystPredicateSuite extends LateBloomTest {

  private val formats = Seq("parquet", "orc")

  private def types = Seq("int", "bigint", "double", "boolean", "date", "decimal(9, 2)", "string")

  /** Column `x0`, `x1`, … for each type of element, and the same values in other places. */
  override def beforeAll(): Unit = {
    super.beforeAll()
    val columns = types.zipWithIndex.map { case (t, i) =>
      val value = t match {
        case "boolean" => "id % 2 = 0"
        case "date"    => "date_add(date'2000-01-01', cast(id as int))"
        case other     => s"cast(id as $other)"
      }
      s"case id % 5 when 0 then array($value, null) when 1 then array(null, null, $value) " +
        s"when 2 then array($value) when 3 then cast(array() as array<$t>) end x$i"
    }
    formats.foreach { format =>
      spark.sql(s"select id, ${columns.mkString(", ")} from range(200)")
        .selectExpr(
          "*",
          "named_struct('f', x0, 'n', if(id % 3 = 0, null, 1)) s",
          "map('a', get(x0, 0), 'b', if(id % 2 = 0, null, 2)) m",
          "array(x0, null) xx"
        )
        .write.format(format).saveAsTable(s"nulls_$format")
    }
  }

  override def afterAll(): Unit =
    try formats.foreach(f => spark.sql(s"drop table if exists nulls_$f"))
    finally super.afterAll()

  private def same(condition: String): Unit =
    Seq("parquet" -> "FALLBACK", "parquet" -> "NO_CODEGEN", "orc" -> "FALLBACK").foreach {
      case (format, mode) => withClue(s"$format, $mode: $condition\n") {
          withSQLConf(
            SQLConf.CODEGEN_FACTORY_MODE.key -> mode,
            SQLConf.ANSI_ENABLED.key -> "false"
          ) {
            val query = s"select id from nulls_$format where $condition"
            sameAnswer(spark.sql(query), adaptive = false) { plan =>
              assert(lateScans(plan).map(_.scanFilters.nonEmpty) == Seq(true))
            }
          }
        }
    }

  test("functions of arrays that Spark interprets") {
    types.indices.foreach(i => same(s"exists(x$i, e -> e is null)"))
    Seq(
      "not forall(x0, e -> e is not null)",
      "size(filter(x0, e -> e is null)) = 1",
      "exists(x0, e -> e = 0)",
      "aggregate(x0, 0, (a, e) -> a + coalesce(e, 7)) > 20",
      "transform(x0, e -> coalesce(e, -1))[1] = -1",
      "array_sort(x0, (a, b) -> case when a is null then -1 when b is null then 1 else b - a end)[0] > 3",
      "zip_with(x0, x1, (a, b) -> a is null and b is null)[1]",
      "exists(s.f, e -> e is null) and s.n is null",
      "exists(xx, e -> e is null)",
      "exists(xx[0], e -> e is null)",
      "id > 20 and exists(x0, e -> e is null) and id < 100",
      "id = 21 or exists(x0, e -> e is null)",
      "array_contains(transform(x0, (e, n) -> e + n + id), id * 2) and not exists(x1, e -> e is null)"
    ).foreach(same)
  }

  test("functions of maps that Spark interprets") {
    Seq(
      "exists(map_values(m), v -> v is null)",
      "cardinality(map_filter(m, (k, v) -> v is null)) = 1",
      "transform_values(m, (k, v) -> coalesce(v, -1))['b'] = -1",
      "map_zip_with(m, m, (k, a, b) -> a is null)['a']",
      "cardinality(transform_keys(m, (k, v) -> concat(k, coalesce(v, 'n')))) = 2"
    ).foreach(same)
  }

  test("functions of arrays and maps that Spark compiles") {
    types.indices.foreach(i => same(s"size(array_distinct(x$i)) = 2 and array_max(x$i) is null"))
    Seq(
      "array_position(x0, get(x0, 1)) is null",
      "array_contains(x0, 0)",
      "x0[1] is null and x1[0] is null",
      "x0 = array(5, null)",
      "x0 <=> array(5, null)",
      "x0 in (array(5, null), array(7))",
      "x0 < array(6, 1)",
      "greatest(x0, array(7)) = array(7)",
      "hash(x0) % 2 = 0 and xxhash64(x0, x1) % 2 = 0",
      "sort_array(x0)[0] = 5 or sort_array(x0, false)[0] = 5",
      "size(array_compact(x0)) = 1",
      "arrays_overlap(x0, array(5, null))",
      "size(array_union(x0, array(5, 0))) = 3",
      "size(array_except(x0, array(5, 0))) = 1",
      "size(array_intersect(x0, array(5, null))) = 2",
      "size(array_remove(x0, 0)) = 2",
      "slice(x0, 1, 1)[0] is null",
      "flatten(array(x0, x0))[1] is null",
      "concat(x0, array(1))[1] is null",
      "reverse(x0)[0] is null",
      "array_join(x4, ',', 'none') like '%none%'",
      "cast(x0 as string) like '%null%'",
      "to_json(s) like '%null%'",
      "arrays_zip(x0, x1)[0].x0 is null",
      "array_append(x0, 1)[1] is null",
      "array_insert(x0, 1, 9)[1] is null",
      "named_struct('a', x0, 'b', 5) = named_struct('a', array(5, null), 'b', 5)",
      "map_entries(m)[1].value is null",
      "map_concat(m, map('c', 1))['b'] is null",
      "map_values(m)[1] is null",
      "m['b'] is null and element_at(m, 'a') is null",
      "xx[0][1] is null"
    ).foreach(same)
  }
}
