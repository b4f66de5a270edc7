// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.logging.log4j.Level

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.apache.spark.sql.functions.udf
import org.apache.spark.sql.internal.SQLConf

import latebloom.inspect.JoinReport
import latebloom.read.task.Counter
import latebloom.{LateBloomTest, LineTest}

/** The decision about each side of a join, and the source of the keys. */
class JoinFiltersSuite extends LateBloomTest {

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.join.minScanBytes", "0")
    spark.range(3000)
      .selectExpr("id", "id % 100 k", "id % 10 few", "cast(id % 7 as double) d", "id % 3 p")
      .write.partitionBy("p").saveAsTable("fact")
    spark.range(150).selectExpr("id", "id % 120 k", "id % 10 few", "array(id) list")
      .write.saveAsTable("dim")
    spark.range(40).selectExpr("id", "id % 120 k").write.format("csv").saveAsTable("other")
    Seq("fact", "dim", "other").foreach(t => spark.sql(s"analyze table $t compute statistics"))
  }

  override def afterAll(): Unit =
    try Seq("fact", "dim", "other").foreach(t => spark.sql(s"drop table if exists $t"))
    finally super.afterAll()

  private def plan(sql: String): SparkPlan = spark.sql(sql).queryExecution.executedPlan

  /** The decision about the side with keys `on`, in the uppermost join that has it. */
  private def side(sql: String, on: String): JoinReport = {
    val all = JoinReport.ofPlan(plan(sql))
    all.find(
      _.side.on == on
    ).getOrElse(fail(s"no side with keys of $on among ${all.mkString("\n")}"))
  }

  private def declines(code: String, sql: String, on: String = "k"): Unit = {
    val declined = side(sql, on).declined
    assert(declined.map(_.code) == Some(code), sql)
    assert(declined.forall(why => why.reason.nonEmpty && why.fix.nonEmpty))
  }

  private val joined = "select f.id, d.id from fact f join dim d on f.k = d.k"

  test("a side whose rows are distributed by their values has a filter") {
    for (hint <- Seq("coalesce(2)", "repartition(3, k)", "repartition_by_range(3, k)")) {
      val f = s"(select /*+ $hint */ * from fact)"
      val found = side(s"select f.id from $f f join dim d on f.k = d.k where d.few = 3", "k")
      assert(found.declined.isEmpty && found.side.filters.nonEmpty, hint)
    }
  }

  test("each reason why a side has no filter") {
    declines("creation-not-selective", joined)
    // What filters the other side comes from this one.
    declines("creation-not-selective", s"$joined where f.few = 3")
    // A key that is compared by its hash alone: its type is no reason.
    declines(
      "creation-not-selective",
      "select f.id from (select id, array(k) key from fact) f " +
        "join (select id, array(k) key from dim) d on f.key = d.key",
      "key"
    )
    declines("join-type", s"${joined.replace("join", "left join")} and d.few = 3")
    declines(
      "partition-key",
      "select * from fact f join dim d on f.p + f.k = d.k where d.few = 3",
      "(p + k)"
    )
    declines(
      "partitions-pruned",
      "select /*+ broadcast(d) */ * from fact f join dim d on f.p = d.k where d.few = 3",
      "p"
    )
    declines(
      "range-type",
      "select * from fact f join dim d on cast(f.k as string) < cast(d.k as string) where d.few = 3",
      "CAST(k AS STRING)"
    )
    declines(
      "key-may-fail",
      "select * from fact f join dim d on f.k + 1 = d.k where d.few = 3",
      "(k + 1L)"
    )
    declines(
      "key-not-traceable",
      "select * from (select k from fact order by id limit 9) f join dim d on f.k = d.k " +
        "where d.few = 3"
    )
    declines(
      "key-not-traceable",
      "select * from (select /*+ repartition(3) */ * from fact) f join dim d on f.k = d.k " +
        "where d.few = 3"
    )
    if (LineTest.caseless.nonEmpty) {
      spark.sql("create table texts (t string collate utf8_lcase, few long) using parquet")
      try {
        declines(
          "key-type",
          "select * from texts f join texts d on upper(f.t) = upper(d.t) where d.few = 3",
          "upper(t)"
        )
      } finally spark.sql("drop table texts")
    }
    declines("scan-not-ours", "select * from other f join dim d on f.k = d.k where d.few = 3")
    declines(
      "creation-not-repeatable",
      "select * from fact f join (select * from dim where few = 3 order by id limit 5) d on f.k = d.k"
    )
    declines(
      "creation-too-large",
      "select /*+ broadcast(d) */ * from dim d join fact f on d.id = f.id where f.few = 3",
      "id"
    )
    withSQLConf("spark.latebloom.join.enabled" -> "false") {
      declines("join-disabled", s"$joined where d.few = 3")
    }
    withSQLConf("spark.latebloom.join.minScanBytes" -> "1g") {
      declines("scan-too-small", s"$joined where d.few = 3")
    }
  }

  test("only one of two filters that would wait for each other is planned") {
    withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
      val sql = "select a.id from dim a join dim b on a.k = b.k where a.few = 3 and b.few = 4"
      val reports = JoinReport.ofPlan(plan(sql))
      assert(reports.map(_.declined.map(_.code)).toSet == Set(None, Some("join-cycle")))
    }
  }

  test("a creation side that depends on chance, on order or on sums of doubles is no source") {
    val random = udf(() => math.random()).asNondeterministic()
    spark.udf.register("random", random)
    Seq(
      "select k from dim where few = 3 and random() < 0.9",
      "select k from dim where few = 3 and k < (select max(r) * 200 from (select random() r from other))",
      "select k from (select k, row_number() over (order by few) n from dim where few = 3) " +
        "where n < 5",
      "select k, sum(d) s from fact where few = 3 group by k having sum(d) > 1"
    ).foreach { sql =>
      declines("creation-not-repeatable", s"select f.* from fact f join ($sql) d on f.k = d.k")
    }
    Seq(
      "row_number() over (order by few)",
      "sum(d) over ()",
      "lag(id) over (order by few)",
      "sum(id) over (order by few rows 2 preceding)",
      "ntile(3) over (order by few)"
    )
      .foreach { function =>
        declines(
          "creation-not-repeatable",
          s"select f.* from fact f join (select k, $function n from fact where few = 3) d " +
            "on f.k = d.k and d.n > 1"
        )
      }
    Seq(
      "select k, sum(id) s from fact where few = 3 group by k having sum(id) > 1",
      "select * from (select k, rank() over (order by few) n from dim where few = 3) where n < 5",
      "select * from (select k, dense_rank() over (partition by k order by id) n from dim " +
        "where few = 3) where n < 2",
      "select * from (select k, sum(id) over (partition by k) n, count(*) over (order by id) m " +
        "from dim where few = 3) where n > 5 and m < 8"
    ).foreach { exact =>
      val sql = s"select f.* from fact f join ($exact) d on f.k = d.k"
      val Seq(applied) = JoinReport.ofPlan(plan(sql)).filter(_.declined.isEmpty)
      assert(applied.side.filters.exists(_.contains("k IN k")), exact)
      sameAnswer(spark.sql(sql))(plan => assert(lateScans(plan).exists(_.joinFilters.nonEmpty)))
    }
  }

  test("keys come from an exchange that the join has anyway, with adaptive execution and without") {
    Seq("broadcast" -> "10m", "shuffle" -> "-1").foreach { case (means, threshold) =>
      withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> threshold) {
        sameAnswer(spark.sql(s"$joined where d.few = 3")) { plan =>
          val Seq(filter) = lateScans(plan).flatMap(_.joinFilters)
          assert(filter.text == s"k IN k of dim ($means)")
          assert(nodes(plan) { case r: ReusedExchangeExec => r }.size == 1)
        }
      }
    }
  }

  test("rows that Spark caches supply keys if the plan that they come from does") {
    val random = udf(() => math.random()).asNondeterministic()
    spark.udf.register("random", random)
    def cached(sql: String)(body: => Unit): Unit = {
      off(spark.sql(s"cache table kept as $sql"))
      try body
      finally spark.sql("drop view kept")
    }
    for ((means, threshold) <- Seq("broadcast" -> "10m", "shuffle" -> "-1")) {
      withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> threshold) {
        def filters(where: String) =
          sameAnswer(
            spark.sql(s"select f.id, d.id from fact f join kept d on f.k = d.k $where")
          ) { plan =>
            assert(nodes(plan) { case c: InMemoryTableScanExec => c }.nonEmpty)
            val Seq(filter) = lateScans(plan).flatMap(_.joinFilters)
            val again = means == "shuffle" && plan.isInstanceOf[AdaptiveSparkPlanExec]
            assert(filter.text == s"k IN k (${if (again) "rescan" else means})")
            assert(nodes(plan) { case r: ReusedExchangeExec => r }.size == (if (again) 0 else 1))
          }
        cached("select * from dim where few = 3")(filters(""))
        cached("select * from dim")(filters("where d.few = 3"))
        cached("select distinct k, id from (select * from dim where few = 3) d")(filters(""))
      }
    }
    val joined = "select f.id from fact f join kept d on f.k = d.k"
    cached("select * from dim where few = 3 and random() < 0.9") {
      declines("creation-not-repeatable", joined)
    }
    cached("select * from dim where few = 3 order by id limit 5") {
      declines("creation-not-repeatable", joined)
    }
    cached("select * from dim")(declines("creation-not-selective", joined))
  }

  test("structs and arrays are keys by their hash") {
    for (threshold <- Seq("10m", "-1")) {
      withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> threshold) {
        def struct(of: String) =
          s"if($of % 7 = 0, null, named_struct('k', if($of % 5 = 0, null, $of), " +
            s"'f', if($of % 2 = 0, -0.0D, double('nan')))) key"
        Seq(
          ("list key", "list key"),
          (struct("k"), struct("k").replace("-0.0D", "0.0D")),
          ("array(k, null, few) key", "array(k, null, few) key")
        ).foreach { case (mine, theirs) =>
          val sql =
            s"select f.id, d.id from (select id, $mine from (select *, array(k) list " +
              s"from fact)) f join (select id, $theirs from dim where few = 3) d on f.key = d.key"
          sameAnswer(spark.sql(sql)) { plan =>
            val Seq(filter) = lateScans(plan).flatMap(_.joinFilters)
            assert(filter.text.startsWith("xxhash64("), mine)
            val Seq(scan) = lateScans(plan).filter(_.joinFilters.nonEmpty)
            assert(scan.metrics(Counter.JOIN_ROWS_DROPPED.key).value > 0, mine)
          }
        }
      }
    }
  }

  test("a key passes the functions of Spark that make several rows of one") {
    for (rows <- Seq("explode(array(id, k))", "posexplode(array(id, k))", "stack(2, id, k)")) {
      val names = if (rows.startsWith("pos")) "(p, e)" else "e"
      sameAnswer(
        spark.sql(s"select f.id, f.e from (select id, k, $rows as $names from fact) f " +
          "join dim d on f.k = d.k where d.few = 3")
      )(plan => assert(lateScans(plan).exists(_.joinFilters.nonEmpty), rows))
    }
    declines(
      "key-not-traceable",
      "select f.id from (select id, explode(array(id, k)) e from fact) f join dim d on f.e = d.k " +
        "where d.few = 3",
      "e"
    )
  }

  test("groups that Spark computes once for several places stay equal") {
    val groups = "with c as (select k, few, count(*) n, max(id) m from fact group by k, few) "
    def filtered(sql: String) = {
      var found = Seq.empty[Int]
      sameAnswer(spark.sql(groups + sql)) { plan =>
        found = Seq(
          lateScans(plan).count(_.joinFilters.nonEmpty),
          nodes(plan) { case r: ReusedExchangeExec => r }.size
        )
      }
      found
    }
    val once =
      "select a.*, b.* from c a join c b on a.few = b.few and a.k = b.k + 1 join dim d on a.k = d.k where d.few = 3"
    assert(filtered(once).head == 0)
    declines("scan-shared", groups + once)
    val twice =
      "select a.*, b.* from c a join c b on a.k = b.k join dim d on a.k = d.k where d.few = 3"
    assert(filtered(twice).head >= 1)
    withSQLConf(SQLConf.EXCHANGE_REUSE_ENABLED.key -> "false") {
      assert(filtered(once).head == 1)
    }
  }

  test("a scan that another join filters is a source, like one with a condition") {
    // As written: what selects among the rows of dim is joined after dim and fact are.
    def filters(joined: String): Seq[String] = {
      val sql = s"select f.id from $joined " +
        "join (select id as place from other where k < 9) o on d.id = o.place"
      under(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
        sameAnswer(spark.sql(sql))(_ => ())
        lateScans(plan(sql)).flatMap(_.joinFilters).map(_.text).distinct
      }
    }
    val ofDim = "id IN place of other (shuffle)"
    assert(filters("fact f join dim d on f.k = d.k") == Seq("k IN k of dim (shuffle)", ofDim))
    assert(
      filters("fact f join dim d on f.k = d.k and f.few = d.few") ==
        Seq("xxhash64(k, few) IN xxhash64(k, few) of dim (shuffle)", ofDim)
    )
    // Of two scans that have a part of the key each, few rows of dim may have all values.
    assert(
      filters("fact f join fact g on f.id = g.id join dim d on f.k = d.k and g.few = d.few")
        == Seq(ofDim)
    )
  }

  test("keys of one source are gathered one by one below a scalar subquery, too") {
    withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
      // The keys of different types cannot be hashed together, as two of f and g have them.
      val sql = "select (select max(f.id) from fact f join fact g on f.id = g.id " +
        "join dim d on f.k = d.k and g.few = d.few and f.few = d.few where d.id < 30), id from dim"
      sameAnswer(spark.sql(sql)) { plan =>
        assert(lateScans(plan).flatMap(_.joinFilters).map(_.text).distinct.size >= 3)
      }
    }
  }

  test("the smallest side that has all keys is the source") {
    withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
      val sql = "select f.id from fact f join dim d on f.k = d.k " +
        "join (select k as g, max(id) m from fact group by k) a on a.g = d.k where d.few = 3"
      sameAnswer(spark.sql(sql)) { plan =>
        val filters = lateScans(plan).flatMap(_.joinFilters)
        assert(filters.map(_.text) == Seq("k IN k of dim (shuffle)", "k IN k of dim (shuffle)"))
      }
    }
  }

  test("no key is named in a plan, a log or a metric") {
    // A number by itself: times and sizes have any digits.
    def tellsKey(text: String) = "(?<![\\d.])2603(?!\\d)".r.findFirstIn(text).isDefined
    val logs = new LogAppender("join filters", maxEvents = 100000)
    withLogAppender(logs, level = Some(Level.INFO)) {
      // Not d.id = 137, of which Spark 4.3 makes f.id = 2603.
      val df = spark.sql(
        "select f.id from fact f join dim d on f.id = d.id * 19 where d.id > 136 and d.id < 138"
      )
      assert(df.collect().map(_.getLong(0)).toSeq == Seq(2603L))
      val plan = df.queryExecution.executedPlan
      val filtered = lateScans(plan).filter(_.joinFilters.nonEmpty)
      assert(filtered.nonEmpty)
      assert(!tellsKey(plan.toString))
      assert(!filtered.exists(s => tellsKey(s.verboseStringWithOperatorId())))
    }
    val told = logs.loggingEvents.map(_.getMessage.getFormattedMessage)
    assert(told.exists(_.contains("Filtering using predicate")))
    assert(!told.exists(tellsKey))
  }
}
