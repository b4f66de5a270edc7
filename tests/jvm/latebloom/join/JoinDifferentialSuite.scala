// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.joinkeys.KeysSubqueryExec
import org.apache.spark.sql.execution.{FilterExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest
import latebloom.joinkeys.JoinFilter

/** Compares joins off and on: every type of join, each type of key, nulls, duplicates, empty sides,
  * and Spark's ways of executing them.
  */
class JoinDifferentialSuite extends LateBloomTest {

  /** Columns of both tables, by type; 7 of 8 values of each column of `fact` join with nothing in
    * `dim`.
    */
  private val keys = Seq(
    "k_byte" -> "cast(k as byte)",
    "k_short" -> "cast(k as short)",
    "k_int" -> "cast(k as int)",
    "k_long" -> "k * 10000000000",
    "k_float" -> "cast(k / 3 as float)",
    "k_double" -> "case when k = 3 then double('NaN') when k = 5 then -0.0D else k / 7 end",
    "k_date" -> "date_add(date'1999-12-31', cast(k as int))",
    "k_timestamp" -> "timestamp_seconds(k * 86413)",
    "k_small_decimal" -> "cast(k as decimal(9, 2)) / 4",
    "k_large_decimal" -> "cast(k as decimal(30, 3)) * 1000000000000000",
    "k_string" -> "concat('key ', k)",
    "k_binary" -> "cast(concat('key ', k) as binary)",
    "k_bool" -> "k = 8"
  )

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.join.minScanBytes", "0")
    write("fact", "range(0, 4000, 1, 3)", "if(id % 17 = 0, null, id % 100)")
    write("dim", "range(0, 150, 1, 2)", "if(id % 13 = 0, null, id % 120)")
    spark.sql("select * from fact where false").write.saveAsTable("no_fact")
  }

  override def afterAll(): Unit =
    try Seq("fact", "dim", "no_fact").foreach(t => spark.sql(s"drop table if exists $t"))
    finally super.afterAll()

  private def write(table: String, rows: String, k: String): Unit = {
    val columns = keys.map { case (name, sql) => s"$sql as $name" }.mkString(", ")
    val made = spark.sql(s"select id, k, id % 10 as few, cast(id % 10 as short) as few_short, " +
      s"$columns, concat('payload ', id) as payload from (select id, $k as k from $rows)")
    made.write.saveAsTable(table)
  }

  private def filters(plan: SparkPlan): Seq[JoinFilter] = lateScans(plan).flatMap(_.joinFilters)

  private def droppedByEach(plan: SparkPlan): Seq[Long] =
    lateScans(plan).filter(_.joinFilters.nonEmpty).map(_.metrics("joinRowsDropped").value)

  private def dropped(plan: SparkPlan): Long = droppedByEach(plan).sum

  /** The ways to plan `query`, which has the place `%hint` for the name of a strategy. */
  private def eachWay(query: String)(look: SparkPlan => Unit): Unit =
    Seq(
      ("broadcast", true, true),
      ("broadcast", false, true),
      ("merge", true, true),
      ("shuffle_hash", false, false)
    ).foreach { case (strategy, adaptive, reuse) =>
      withSQLConf(SQLConf.EXCHANGE_REUSE_ENABLED.key -> reuse.toString) {
        withClue(s"$strategy, reuse: $reuse, $query\n") {
          sameAnswer(spark.sql(query.replace("%hint", s"/*+ $strategy(d) */")), adaptive)(look)
        }
      }
    }

  private def hidesRows(plan: SparkPlan): Unit = {
    assert(filters(plan).size == 1)
    assert(dropped(plan) > 0)
  }

  private def noFilter(plan: SparkPlan): Unit = assert(filters(plan).isEmpty)

  keys.foreach { case (name, _) =>
    test(s"inner join on $name") {
      def query(hint: String) = spark.sql(s"select /*+ $hint(d) */ f.*, d.id as d_id " +
        s"from fact f join dim d on f.$name = d.$name where d.id in (5, 8, 63)")
      sameAnswer(query("broadcast"), adaptive = true)(hidesRows)
      sameAnswer(query("merge"), adaptive = false)(hidesRows)
    }
  }

  test("types of joins that keep rows of the filtered side only if they match") {
    eachWay("select %hint * from fact f join dim d on f.k = d.k where d.few = 3")(hidesRows)
    eachWay("select %hint * from fact f left semi join (select * from dim where few = 3) d " +
      "on f.k = d.k")(hidesRows)
    eachWay("select %hint f.id, d.id from fact f right join (select * from dim where few = 3) d " +
      "on f.k = d.k")(hidesRows)
    eachWay("select %hint f.id from fact f where k in (select k from dim d where few = 3)")(
      hidesRows
    )
    eachWay("select %hint f.id from fact f where exists " +
      "(select 1 from dim d where d.k = f.k and d.few = 3)")(hidesRows)
  }

  test("types of joins of which the other side may be filtered") {
    eachWay("select %hint f.id, d.id from (select * from fact where few = 3) f left join dim d " +
      "on f.k = d.k")(_ => ())
    eachWay("select %hint f.id from (select * from fact where few = 3) f left anti join dim d " +
      "on f.k = d.k")(_ => ())
    eachWay("select %hint f.id, f.k in (select k from dim d) from fact f where few = 3")(_ => ())
    withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
      sameAnswer(spark.sql("select f.id, d.id from (select * from dim where few = 3) d " +
        "left join fact f on f.k = d.k"))(hidesRows)
      sameAnswer(spark.sql("select d.id from (select * from dim where few = 3) d " +
        "left anti join fact f on f.k = d.k"))(hidesRows)
    }
  }

  test("types of joins that keep rows without a match have no filter on them") {
    eachWay("select %hint f.id, d.id from fact f left join (select * from dim where few = 3) d " +
      "on f.k = d.k")(noFilter)
    eachWay("select %hint f.id, d.id from fact f full join (select * from dim where few = 3) d " +
      "on f.k = d.k")(noFilter)
    eachWay("select %hint f.id from fact f left anti join (select * from dim where few = 3) d " +
      "on f.k = d.k")(noFilter)
    eachWay("select %hint f.id from fact f where k not in " +
      "(select k from dim d where few = 3 and k is not null)")(noFilter)
  }

  test("equal nulls join") {
    eachWay("select %hint f.id, d.id from fact f join dim d on f.k <=> d.k where d.few = 3")(
      hidesRows
    )
    eachWay("select %hint f.id, d.id from fact f join dim d on f.k_string <=> d.k_string " +
      "where d.few = 6")(hidesRows)
  }

  test("several keys are one filter") {
    eachWay("select %hint f.id, d.id from fact f join dim d " +
      "on f.k_int = d.k_int and f.few = d.few where d.few in (3, 4) and d.id < 40")(hidesRows)
    eachWay("select %hint f.id, d.id from fact f join dim d " +
      "on f.k_string = d.k_string and f.k_date = d.k_date and f.k_int = d.k_int " +
      "where d.few = 3")(hidesRows)
    eachWay("select %hint f.id, d.id from fact f join dim d " +
      "on f.k_byte = d.k_byte and f.k_short = d.k_short where d.few = 3")(hidesRows)
  }

  test("keys of two scans are a filter for each") {
    // As a broadcast's keys two integers are one long, others are not.
    Seq("k_int", "k_string").foreach { key =>
      eachWay("select %hint f.id, d.id from fact f join fact g on f.id = g.id join dim d " +
        s"on f.$key = d.$key and g.few_short = d.few_short where d.few in (2, 3) and d.id < 70") {
        plan =>
          // And one of f's ids, since few of g are left; without reuse g's scan stands there twice.
          assert(filters(plan).map(_.text.takeWhile(_ != ' ')).toSet == Set(key, "few_short", "id"))
          assert(droppedByEach(plan).forall(_ > 0))
      }
    }
  }

  test("keys of expressions and of other types") {
    eachWay("select %hint f.id, d.id from fact f join dim d on f.k_int = d.k where d.few = 3")(
      hidesRows
    )
    eachWay("select %hint f.id, d.id from fact f join dim d " +
      "on upper(f.k_string) = upper(d.k_string) where d.few = 3")(hidesRows)
    eachWay("select %hint f.id, d.id from fact f join dim d " +
      "on f.k_small_decimal = d.k_large_decimal where d.few = 3")(_ => ())
    eachWay("select %hint f.id, d.id from fact f join dim d " +
      "on f.k_int + 1 = d.k_int where d.few = 3")(noFilter)
  }

  test("a side without a key, and one without rows") {
    eachWay("select %hint f.id, d.id from fact f join dim d on f.k = d.k where d.few = 77") {
      plan =>
        assert(filters(plan).forall(_ => dropped(plan) == 0))
    }
    eachWay("select %hint f.id, d.id from fact f join dim d on f.k = d.k " +
      "where d.few = 3 and d.k is null")(_ => ())
    eachWay("select %hint f.id, d.id from no_fact f join dim d on f.k = d.k " +
      "where d.few = 3")(_ => ())
    eachWay("select %hint f.id, d.id from fact f right join " +
      "(select * from dim where few = 77) d on f.k = d.k")(_ => ())
  }

  test("a filter goes through projections, groups, windows, unions and joins") {
    eachWay("select %hint f.* from (select k * 2 as twice, id from fact) f join dim d " +
      "on f.twice = d.k where d.few = 4")(noFilter)
    eachWay("select %hint f.* from (select try_add(k, 2) as more, id from fact) f join dim d " +
      "on f.more = d.k where d.few = 4")(_ => ())
    eachWay("select %hint f.* from (select k as g, sum(id) s from fact group by k) f join dim d " +
      "on f.g = d.k where d.few = 3")(hidesRows)
    eachWay(
      "select %hint f.* from (select k, id, row_number() over (partition by k order by id) n " +
        "from fact) f join dim d on f.k = d.k where d.few = 3"
    )(hidesRows)
    eachWay("select %hint f.* from (select k, id from fact where few < 5 union all " +
      "select k, id + 1 from fact where few > 6) f join dim d on f.k = d.k where d.few = 3") {
      plan =>
        assert(filters(plan).size == 2)
        assert(dropped(plan) > 0)
    }
    eachWay("select %hint f.id, g.id from fact f join (select id, k from fact where few = 1) g " +
      "on f.id = g.id join dim d on f.k = d.k where d.few = 1 and d.id < 60")(plan =>
      assert(dropped(plan) > 0)
    )
  }

  test("no filter passes a node whose answer depends on all rows") {
    eachWay("select %hint f.* from (select k, id from fact order by id limit 50) f join dim d " +
      "on f.k = d.k where d.few = 3")(noFilter)
    eachWay("select %hint f.* from (select k, id, row_number() over (order by id) n from fact) f " +
      "join dim d on f.k = d.k where d.few = 3")(noFilter)
    eachWay("select %hint f.* from (select max(k) as k, few from fact group by few) f join dim d " +
      "on f.k = d.k where d.few = 3")(noFilter)
    eachWay("select %hint f.id, d.id from fact f join (select * from dim where few = 3 " +
      "order by id limit 5) d on f.k = d.k")(noFilter)
  }

  test("the same table on both sides, and the same rows twice") {
    eachWay("select %hint f.id, d.id from fact f join fact d on f.k = d.k " +
      "where d.id < 40 and f.few = 3")(_ => ())
    val fact = spark.table("fact").select("id", "k")
    sameAnswer(fact.union(fact).join(spark.table("dim").where("few = 3").select("k"), "k"))(_ => ())
  }

  test("several hops") {
    eachWay("select %hint f.id from fact f join dim d on f.k = d.k join dim e on d.id = e.id " +
      "where e.k_string = 'key 33'")(plan => assert(dropped(plan) > 0))
  }

  test("two scans share the keys that are gathered once") {
    withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
      sameAnswer(spark.sql("select sum(f.id) from fact f join dim d on f.k = d.k where d.few = 3 " +
        "and f.few < (select avg(few) from fact g where g.k = d.k)")) { plan =>
        assert(filters(plan).size == 2)
        assert(nodes(plan) { case s: KeysSubqueryExec => s }.size == 1)
      }
    }
  }

  test(
    "Spark's own runtime filter gives way to ours, and is evaluated in the scan where there is none"
  ) {
    def query(sql: String)(look: Seq[String] => Unit): Unit =
      sameAnswer(spark.sql(sql)) { plan =>
        look(lateScans(plan).flatMap(s => s.filterTexts ++ s.joinFilters.map(_.text)))
        assert(nodes(plan) { case f: FilterExec => f }.isEmpty)
      }
    withSQLConf(
      SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1",
      SQLConf.RUNTIME_BLOOM_FILTER_APPLICATION_SIDE_SCAN_SIZE_THRESHOLD.key -> "1"
    ) {
      val sql = "select f.id, d.id from fact f join dim d on f.k = d.k where d.few = 3"
      query(sql) { filters =>
        assert(filters.exists(_.contains("k IN k of dim (shuffle)")))
        assert(!filters.exists(_.contains("might_contain")))
      }
      withSQLConf("spark.latebloom.join.enabled" -> "false") {
        query(sql)(filters => assert(filters.exists(_.contains("might_contain"))))
      }
    }
  }

  test("where there are too many keys there is no filter") {
    withSQLConf("spark.latebloom.join.maxKeys" -> "3") {
      eachWay("select %hint f.id, d.id from fact f join dim d on f.k = d.k where d.few < 8") {
        plan =>
          assert(filters(plan).size == 1)
          assert(dropped(plan) == 0)
      }
    }
  }

  test("a filter that passes nearly everything is skipped after the first rows of a file") {
    sameAnswer(spark.sql("select f.id, d.id from fact f join dim d on f.few = d.few " +
      "where d.id >= 0 and d.k_string <> 'key 5'")) { plan =>
      assert(filters(plan).size == 1)
      assert(dropped(plan) == 0)
    }
  }

  test("a filter that has all values of a file by its statistics is not evaluated there") {
    for (format <- Seq("parquet", "orc")) withTempPath { dir =>
      val path = dir.getPath
      // Too many keys to be listed.
      spark.sql("select id, id % 150000 + 7 as k from range(0, 200000, 1, 1)")
        .write.format(format).save(s"$path/fact")
      // Of a side that keeps nearly all of its rows no key is gathered.
      spark.sql(
        "select id as k, concat(if(id < 160000, 'key ', 'other '), id) as name " +
          "from range(0, 300000, 1, 1)"
      ).write.format(format).save(s"$path/dim")
      def tested(condition: String): Long = {
        var rows = -1L
        sameAnswer(
          spark.sql(s"select /*+ broadcast(d) */ f.id, d.name from $format.`$path/fact` f " +
            s"join $format.`$path/dim` d on f.k = d.k where $condition")
        ) { plan =>
          val scans = lateScans(plan).filter(_.joinFilters.nonEmpty)
          assert(scans.size == 1)
          rows = scans.map(_.metrics("joinRowsTested").value).sum
        }
        rows
      }
      // Of ORC no row passes by statistics, which Spark never reads.
      assert((tested("name like 'key%'") == 0) == (format == "parquet"))
      assert(tested("name like 'key%' and name <> 'key 150006'") > 0)
    }
  }

  test("switched off there is no filter") {
    def query: DataFrame =
      spark.sql("select f.id, d.id from fact f join dim d on f.k = d.k where d.few = 3")
    withSQLConf("spark.latebloom.join.enabled" -> "false") {
      sameAnswer(query)(noFilter)
    }
    withSQLConf("spark.latebloom.scan.enabled" -> "false") {
      sameAnswer(query) { plan =>
        assert(lateScans(plan).isEmpty)
        assert(!plan.toString.contains("joinfilter"))
        assert(nodes(plan) { case s: KeysSubqueryExec => s }.isEmpty)
      }
    }
    withSQLConf("spark.latebloom.join.minScanBytes" -> "1g") {
      sameAnswer(query)(noFilter)
    }
  }
}
