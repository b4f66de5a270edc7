// SPDX-License-Identifier: Apache-2.0
package latebloom.sql

import java.io.File
import java.util.concurrent.atomic.AtomicInteger

import org.json4s.jackson.JsonMethods.parse

import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.{AnalysisException, Row}

import latebloom.LateBloomTest
import latebloom.inspect.Inspector

class TableFunctionsSuite extends LateBloomTest {

  private def withData(body: => Unit): Unit = withTable("t") {
    spark.range(1000).selectExpr("id", "cast(id % 10 as int) n", "cast(id as string) s")
      .write.saveAsTable("t")
    body
  }

  /** How many rows a query reads while the body runs, which computes `seen(s)` of each. */
  private def seen(body: => Unit): Int = {
    spark.udf.register("seen", (text: String) => { Seen.rows.incrementAndGet(); text })
    val before = Seen.rows.get
    body
    Seen.rows.get - before
  }

  private def refused(call: String): String =
    intercept[AnalysisException](sql(s"select * from $call")).getMessage

  test("version, confs and cache say what Inspector says, in columns with types") {
    val version = parse(Inspector.version())
    val row = sql("select * from latebloom_version()").head()
    Seq("version", "spark", "scala").foreach { part =>
      assert((version \ part).values == row.getAs[String](part))
    }
    withSQLConf("spark.latebloom.scan.pageCacheBytes" -> "1m") {
      val confs = sql("select key, value from latebloom_confs()").collect().map(r =>
        r.getString(0) -> r.getString(1)
      )
      assert(confs.toMap.apply("spark.latebloom.scan.pageCacheBytes") == "1m")
      assert(confs.length == parse(Inspector.confs(spark)).children.size)
    }
    assert(sql("select * from latebloom_cache()").schema.map(_.dataType).toSet == Set(LongType))
  }

  test("clearCache forgets when it is executed, and returns what that was") {
    withData {
      sql("select * from latebloom_clear_cache()").collect()
      sql("select s from t where n = 3").collect()
      val clear = sql("select lookups from latebloom_clear_cache()")
      assert(sql("select lookups from latebloom_cache()").head().getLong(0) == 1)
      assert(clear.head().getLong(0) == 1)
      assert(sql("select lookups from latebloom_cache()").head().getLong(0) == 0)
    }
  }

  test("explain has a row for each scan, side of a join and order, and runs nothing") {
    withData {
      val query = "select seen(a.s) from t a join t b on a.id = b.n " +
        "where a.n = 3 and b.id + rand() > 0 order by a.s limit 3"
      var rows = Array.empty[Row]
      assert(seen { rows = sql(s"select * from latebloom_explain('$query')").collect() } == 0)
      assert(rows.map(_.getAs[String]("part")).toSet == Set("scan", "join", "order"))
      val scan = rows.find(_.getAs[Seq[String]]("filter_columns") == Seq("n", "id"))
      assert(scan.exists(_.getAs[Boolean]("applied")), rows.mkString("\n"))
      assert(scan.get.getAs[String]("of").endsWith("t"))
      assert(scan.get.getAs[Long]("bytes") > 0)
      val left = rows.filterNot(_.getAs[Boolean]("applied"))
      assert(left.nonEmpty && left.forall(r => Option(r.getAs[String]("reason")).isDefined))
    }
  }

  test("whynot has one root cause for each part that is left to Spark, the largest first") {
    withData {
      withTable("small") {
        spark.range(3).write.saveAsTable("small")
        def causes(query: String) =
          sql(s"select part, code, bytes from latebloom_whynot('$query')").collect().toSeq
        assert(causes("select id from t where n = 3").isEmpty)
        val Seq(predicate) = causes("select id from t where n = 3 and rand() > 0")
        assert((predicate.getString(0), predicate.getString(1)) == (
          "predicate",
          "non-deterministic"
        ))
        val Seq(scan) = causes("select id from t where rand() > 0")
        assert((scan.getString(0), scan.getString(1)) == ("scan", "non-deterministic"))
        val both = causes("select id from small union all select id from t")
        assert(both.map(_.getString(1)) == Seq("no-filter", "no-filter"))
        assert(both.map(_.getLong(2)) == both.map(_.getLong(2)).sorted.reverse)
        assert(both.head.getLong(2) > both(1).getLong(2))
      }
    }
  }

  test("profile runs its query when its own scan is executed, and never before") {
    withData {
      val call = "select * from latebloom_profile('select seen(s) from t where n = 3')"
      var asked = spark.emptyDataFrame
      assert(seen {
        asked = spark.sql(call)
        sql(s"explain extended $call").collect()
        asked.queryExecution.executedPlan
      } == 0)
      assert(seen(asked.collect()) == 100)
      assert(seen(sql(call).collect()) == 100)
      val rows = asked.collect()
      assert(rows.map(_.getAs[String]("part")).toSeq.distinct ==
        Seq("query", "scan", "step", "visits", "column"))
      def of(part: String) = rows.toSeq.filter(_.getAs[String]("part") == part)
      Seq(rows(0), rows(1), of("step").last)
        .foreach(row => assert(row.getAs[Long]("rows_out") == 100))
      val visits = of("visits").map(_.getAs[Map[String, Long]]("metrics"))
      assert(visits.nonEmpty && visits.forall(_("rowGroups") > 0))
      assert(of("visits").forall(_.getAs[String]("code").nonEmpty))
      val columns = of("column").map { row =>
        (row.getAs[String]("of"), row.getAs[String]("read_as")) ->
          row.getAs[Map[String, Long]]("metrics")
      }
      assert(columns.toMap == Map(
        ("s", "payload") -> Map("decoded" -> 100L, "bySpark" -> 0L, "skipped" -> 900L),
        ("n", "filter") -> Map("decoded" -> 1000L, "bySpark" -> 0L, "skipped" -> 0L)
      ))
      assert(rows.head.getAs[Double]("seconds") > 0)
      assert(rows(1).getAs[Boolean]("applied"))
      assert(rows(1).getAs[Map[String, Long]]("metrics").apply("numOutputRows") == 100)
      val Seq(filter) =
        rows.toSeq.filter(r => Option(r.getAs[String]("of")).exists(_.contains("n = 3")))
      assert(filter.getAs[Long]("rows_in") == 1000 && filter.getAs[Long]("rows_out") == 100)
    }
  }

  test("profile tells of a query that has ended, by its number, which is asked for only then") {
    withData {
      sql("select s from t where n = 3").collect()
      val newest = sql("select * from latebloom_queries()").head()
      Seq("scans", "taken").foreach(count => assert(newest.getAs[Long](count) == 1))
      assert(newest.getAs[Double]("seconds") >= 0 && newest.getAs[String]("description").nonEmpty)
      val last = newest.getAs[Long]("execution_id")
      def profiled(id: String) = sql(s"select * from latebloom_profile($id)").collect().toSeq
      val rows = profiled(s"$last")
      assert(profiled(s"cast($last as bigint) + 0") == rows)
      assert(rows.head.isNullAt(rows.head.fieldIndex("rows_out")))
      assert(rows.head.getAs[Double]("seconds") >= 0)
      assert(rows(1).getAs[Long]("rows_out") == 100)
      assert(rows.map(_.getAs[String]("part")).toSet ==
        Set("query", "scan", "step", "visits", "column"))
      val told = parse(sql(s"select json from latebloom_json('report', $last)").head().getString(0))
      assert((told \ "scans").children.size == 1)
      val unknown = sql("select * from latebloom_profile(-1)")
      val said = intercept[AnalysisException](unknown.collect()).getMessage
      assert(said.contains("Nothing is known of query -1") && said.contains("To do: "))
    }
  }

  test("an error of the query that is profiled is raised when it runs") {
    withData {
      val asked = sql("select * from latebloom_profile('select raise_error(s) from t')")
      assert(intercept[Exception](asked.collect()) != null)
    }
  }

  test("json has the whole answers that Python reads") {
    withData {
      val query = "select s from t where n = 3"
      def told(arguments: String) =
        parse(sql(s"select json from latebloom_json($arguments)").head().getString(0))
      assert(told("'version'") == parse(Inspector.version()))
      assert(told("'confs'") == parse(Inspector.confs(spark)))
      assert(told("'cache'").children.nonEmpty)
      assert(sql("select json from latebloom_json('report', -1)").head().isNullAt(0))
      assert(told(s"'explain', '$query'") \ "scans" ==
        parse(Inspector.explain(sql(query).queryExecution)) \ "scans")
      assert((told(s"'profile', '$query'") \ "rows").values == 100)
    }
  }

  test("a query is planned as the session would plan it, with its views, confs and schema") {
    withData {
      withTempView("v") {
        sql("create temp view v as select * from t where n = 3")
        val asked = sql("select applied, code from latebloom_explain('select s from v')")
        assert(asked.head().getBoolean(0))
        off(assert(asked.head().getString(1) == "disabled"))
        withDatabase("other") {
          sql("create database other")
          withTable("other.u") {
            spark.range(3).write.saveAsTable("other.u")
            assert(refused("latebloom_explain('select * from u')").contains("u"))
            sql("use other")
            try assert(sql("select * from latebloom_explain('select * from u')").count() == 1)
            finally sql("use default")
          }
        }
      }
    }
  }

  test("an answer is a table like others") {
    withData {
      val asked = "latebloom_whynot('select id from t')"
      assert(sql(s"select a.code from $asked a join $asked b using (part)").count() == 1)
      val confs = sql("select * from latebloom_confs()")
      assert(confs.as("a").join(confs.as("b"), "key").count() == confs.count())
      assert(confs.orderBy("key").repartition(3).count() == confs.count())
      assert(confs.where("key like '%enabled'").orderBy(confs("key").desc).collect().length > 3)
      assert(sql(s"select (select code from $asked)").head().getString(0) == "no-filter")
      withTempView("w") {
        sql(s"create temp view w as select code from $asked")
        assert(sql("select * from w").head().getString(0) == "no-filter")
      }
      withTable("kept") {
        sql(s"create table kept using parquet as select * from $asked")
        assert(spark.table("kept").count() == 1)
      }
    }
  }

  test("a text may be any constant, a parameter also") {
    withData {
      def codes(call: String, args: Map[String, Any] = Map.empty) =
        spark.sql(s"select code from latebloom_whynot($call)", args).collect().map(_.getString(0))
      assert(codes("concat('select id', ' from t')").toSeq == Seq("no-filter"))
      assert(codes(":q", Map("q" -> "select id from t where n = 3")).isEmpty)
    }
  }

  test("arguments that cannot be are refused when the call is analysed, with what to do") {
    withData {
      val whynot = Seq(
        "" -> "0 arguments",
        "'select 1', 'select 2'" -> "2 arguments",
        "null" -> "is null",
        "cast(null as string)" -> "is null",
        "1.5" -> "of the type DECIMAL(2,1)",
        "cast(null as int)" -> "is null",
        "cast(rand() as string)" -> "not constant",
        "'selekt 1'" -> "'selekt'",
        // Spark 3.5: "at or near end of input".
        "''" -> (if (spark.version.startsWith("3.")) "end of input" else "empty"),
        "'select * from nowhere'" -> "nowhere",
        "'select nothing from t'" -> "nothing",
        "'drop table t'" -> "command",
        "'insert into t select * from t'" -> "command",
        "'explain select 1'" -> "command"
      )
      for ((arguments, what) <- whynot; name <- Seq("whynot", "explain", "profile")) {
        val said = refused(s"latebloom_$name($arguments)")
        assert(said.contains(what), said)
        assert(said.contains("To do: "), said)
        assert(said.contains(s"latebloom_$name"), said)
      }
      assert(spark.table("t").count() == 1000)
      assert(refused("latebloom_confs('x')").contains("takes no query"))
      assert(refused("latebloom_json()").contains("'explain'"))
      assert(refused("latebloom_json('nothing')").contains("'explain'"))
      assert(refused("latebloom_json('version', 'select 1')").contains("takes no query"))
      assert(refused("latebloom_json('explain')").contains("latebloom_json('explain', 'SELECT"))
      Seq("", ", '7'", ", 7, 8", ", cast(rand() as int)").foreach { more =>
        val said = refused(s"latebloom_json('report'$more)")
        assert(said.contains("takes the number of a query") && said.contains("To do: "), said)
      }
      Seq("whynot", "explain").foreach { name =>
        assert(refused(s"latebloom_$name(1)").contains("of the type INT"))
      }
    }
  }

  test("the place of an error is one in the text, and its class that of the error") {
    val error = intercept[AnalysisException] {
      sql("select *                 from latebloom_whynot('select 1 from range(2) where x = 1')")
    }
    assert(error.getMessage.contains("line 1 pos 29"), error.getMessage)
    assert(error.errorClass.exists(_.startsWith("UNRESOLVED_COLUMN")))
  }

  test("no command that is passed has been run, a script neither") {
    withTempDir { folder =>
      val written = new File(folder, "written").getAbsolutePath
      // Scala 2.12 has no quotes in such a text.
      val insert = "insert overwrite directory \"" + written + "\" using parquet select 1"
      Seq("explain", "profile").foreach { name =>
        refused(s"latebloom_$name('$insert')")
        refused(s"latebloom_$name('begin $insert; end')")
      }
      assert(!new File(written).exists)
    }
  }

  test("DESCRIBE FUNCTION and SHOW FUNCTIONS know them") {
    val shown = sql("show functions like 'latebloom*'").collect().map(_.getString(0)).toSet
    val named =
      Seq("version", "confs", "cache", "clear_cache", "explain", "whynot", "profile", "queries") :+
        "json"
    assert(named.map(n => s"latebloom_$n").toSet.subsetOf(shown))
    for (name <- named) {
      val told = sql(s"describe function latebloom_$name").collect().map(_.getString(0))
      assert(told.exists(_.startsWith(s"Usage: latebloom_$name(")), told.mkString)
    }
  }
}

/** Counts rows in tasks, which run in this process. */
private object Seen {
  val rows = new AtomicInteger
}
