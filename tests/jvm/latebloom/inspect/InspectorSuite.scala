// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import org.json4s._
import org.json4s.jackson.JsonMethods.parse

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

import latebloom.scan.LateScan
import latebloom.{BuiltFor, LateBloomTest}

class InspectorSuite extends LateBloomTest {
  implicit private val formats: Formats = DefaultFormats

  private def withData(body: => Unit): Unit = withTable("t") {
    spark.range(100).selectExpr("id", "cast(id % 10 as int) n").write.saveAsTable("t")
    body
  }

  private def session: SparkSession = spark

  test("version has those of LateBloom, Spark and Scala") {
    val version = parse(Inspector.version()).extract[Map[String, String]]
    assert(version.keySet == Set("version", "spark", "scala"))
    assert(version("spark").startsWith(BuiltFor.spark))
    assert(version("scala").startsWith(BuiltFor.scala))
  }

  test("confs has keys, defaults, values, types and documentation") {
    withSQLConf("spark.latebloom.scan.pageCacheBytes" -> "1m") {
      val confs = parse(Inspector.confs(session)).extract[Seq[Map[String, String]]]
      assert(confs.map(_("key")).toSet == Set(
        "spark.latebloom.enabled",
        "spark.latebloom.scan.enabled",
        "spark.latebloom.scan.eagerFraction",
        "spark.latebloom.io.mergeGapBytes",
        "spark.latebloom.scan.pageCacheBytes",
        "spark.latebloom.join.enabled",
        "spark.latebloom.join.minScanBytes",
        "spark.latebloom.join.rescanBytes",
        "spark.latebloom.cache.enabled",
        "spark.latebloom.cache.maxBytes",
        "spark.latebloom.cache.metadataBytes",
        "spark.latebloom.index.enabled",
        "spark.latebloom.index.path",
        "spark.latebloom.index.maxBytes",
        "spark.latebloom.statistics.enabled",
        "spark.latebloom.statistics.patience",
        "spark.latebloom.join.relistBytes",
        "spark.latebloom.join.patience",
        "spark.latebloom.join.maxBytes",
        "spark.latebloom.join.maxKeys",
        "spark.latebloom.limit.enabled",
        "spark.latebloom.aggregate.enabled",
        "spark.latebloom.topK.enabled",
        "spark.latebloom.topK.maxRows",
        "spark.latebloom.topK.minScanBytes",
        "spark.latebloom.topK.minSaved",
        "spark.latebloom.report.enabled"
      ))
      val cache = confs.find(_("key").endsWith("pageCacheBytes")).get
      assert(cache("value") == "1m" && cache("type") == "bytes" && cache("doc").nonEmpty)
    }
  }

  test("explain reports applied and declined scans") {
    withData {
      val query = spark.sql("select id from t where n = 3 and id + rand() > 0 " +
        "union all select id from t")
      val told = parse(Inspector.explain(query.queryExecution))
      assert((told \ "plan").extract[String].contains("LateScan parquet"))
      val Seq(applied, declined) = (told \ "scans").children
      assert((applied \ "applied").extract[Boolean])
      assert((applied \ "code") == JNull)
      assert((applied \ "format").extract[String] == "parquet")
      assert((applied \ "table").extract[String].endsWith("default.t"))
      assert((applied \ "filterColumns").extract[Seq[String]] == Seq("n", "id"))
      assert((applied \ "scanFilters").extract[Seq[String]] ==
        Seq("(n IS NOT NULL) AND (n = 3)", "(id IS NOT NULL)"))
      assert((applied \ "payload").extract[Seq[String]] == Seq("id"))
      assert((applied \ "residual" \ "code").extract[Seq[String]] == Seq("non-deterministic"))
      assert(!(declined \ "applied").extract[Boolean])
      assert((declined \ "code").extract[String] == "no-filter")
      Seq("reason", "fix").foreach(k => assert((declined \ k).extract[String].nonEmpty))
    }
  }

  test("scans of other formats and sources are reported, with their reason") {
    withTempPath { path =>
      for (format <- Seq("csv", "json"))
        spark.range(9).write.format(format).save(s"$path/$format")
      def told(format: String) = {
        val df = spark.read.schema("id long").format(format).load(s"$path/$format").where("id > 3")
        df.queryExecution
      }
      for (v1 <- Seq("csv,json", "")) withSQLConf(SQLConf.USE_V1_SOURCE_LIST.key -> v1) {
        for (format <- Seq("csv", "json")) {
          val Seq(scan) = (parse(Inspector.explain(told(format))) \ "scans").children
          val code = if (v1.isEmpty) "source-not-read" else "format-not-read"
          assert((scan \ "code").extract[String] == code)
          assert((scan \ "reason").extract[String].contains(format))
        }
      }
      val text = new LateBloomExplain().generateExtendedInfo(told("csv").executedPlan)
      assert(text.contains(s"${path.getName}/csv: declined, format-not-read"))
    }
  }

  test("a profile has what the filters did, in all forms of plans") {
    withData {
      for (
        sql <- Seq("select id from t where n = 3 and id > 2", "select * from t where n = 3 limit 2")
      )
        for (adaptive <- Seq("true", "false"))
          withSQLConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> adaptive) {
            val told = parse(Inspector.profile(spark.sql(sql).queryExecution))
            assert((told \ "rows").extract[Long] == off(spark.sql(sql).collect().length))
            val scan = (told \ "scans")(0)
            val Some(filter) = (scan \ "steps").children
              .find(s => (s \ "name").extract[String].contains("n = 3"))
            assert((filter \ "rows").extract[Long] >= (filter \ "left").extract[Long])
            assert((filter \ "left").extract[Long] >= (told \ "rows").extract[Long])
            assert((filter \ "nanos").extract[Long] > 0)
            val kinds = (scan \ "metrics").children.map(m => (m \ "kind").extract[String]).toSet
            assert(kinds == Set("sum", "size", "timing", "nsTiming"))
          }
      val before = spark.sql("select id from t where n = 3").queryExecution.executedPlan
      val scans = PlanNodes.all(before).collect { case s: LateScan => s }
      assert(scans.size == 1 && scans.head.filterOutcomes.isEmpty)
    }
  }

  test("explain reports orders with a limit, and the scans that search and read") {
    withData {
      val sql = "select * from t order by id desc limit 3"
      def orders = parse(Inspector.explain(spark.sql(sql).queryExecution)) \ "orders"
      def code = (orders(0) \ "code").extract[String]
      assert(code == "top-k-scan-too-small")
      withSQLConf(
        "spark.latebloom.topK.minScanBytes" -> "0",
        "spark.latebloom.topK.minSaved" -> "0"
      ) {
        assert(orders.children.size == 1 && (orders(0) \ "applied").extract[Boolean])
        assert((orders(0) \ "on").extract[String] == "id DESC NULLS LAST")
        val scans = parse(Inspector.explain(spark.sql(sql).queryExecution)) \ "scans"
        assert(scans.children.map(s => (s \ "topRows").extract[Seq[String]]) ==
          Seq(Seq("the first 3 rows"), Seq("searched by id DESC NULLS LAST")))
      }
    }
  }

  test("explain reports both sides of a join, before and after it ran") {
    withData {
      withSQLConf("spark.latebloom.join.minScanBytes" -> "0") {
        val query = spark.sql("select a.id from t a join t b on a.id = b.id where b.n = 3")
        def check(): Unit = {
          val told = parse(Inspector.explain(query.queryExecution))
          // The scan of the broadcast, which also gives the keys, is one.
          assert((told \ "scans").children.map(s => (s \ "filterColumns").children.size) == Seq(
            1,
            2
          ))
          val Seq(applied, declined) = (told \ "joins").children
          assert((applied \ "node").extract[String] == "BroadcastHashJoin Inner")
          assert((applied \ "on").extract[String] == "id")
          assert((applied \ "of").extract[String] == "id in t")
          assert((applied \ "filters").extract[Seq[String]] == Seq("id IN id of t (broadcast)"))
          assert((declined \ "code").extract[String] == "creation-not-selective")
        }
        check()
        query.collect()
        check()
        val explained =
          new LateBloomExplain().generateExtendedInfo(query.queryExecution.executedPlan)
        assert(
          explained.contains(
            "BroadcastHashJoin Inner, keys of id in t: applied, id IN id of t (broadcast)"
          )
        )
        assert(explained.contains("declined, creation-not-selective"))
        assert(explained.contains("  join filter: id IN id of t (broadcast)"))
      }
    }
  }

  test("metrics are those of the plan that ran") {
    withData {
      Seq("true", "false").foreach { adaptive =>
        withSQLConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> adaptive) {
          val query = spark.sql("select n, count(*) from t where n > 7 group by n")
          query.collect()
          val Seq(scan) = parse(Inspector.metrics(query.queryExecution)).children
          assert((scan \ "node").extract[String].startsWith("LateScan parquet"))
          assert((scan \ "numOutputRows").extract[Long] == 20)
        }
      }
    }
  }

  test("a scan planned without the extension has the reason") {
    withData {
      val df = spark.sql("select id from t where n = 3")
      val scan = PlanNodes.all(df.queryExecution.sparkPlan)
      assert(scan.nonEmpty)
      assert(ScanReport.ofPlan(df.queryExecution.sparkPlan).flatMap(_.declined).map(_.code) ==
        Seq("not-installed"))
    }
  }

  test("a text in parts, none of which ends within a code point") {
    val text = "ab\uD83D\uDE00cde\uD83D\uDE00"
    for (length <- 2 to 10) {
      val parts = Inspector.inParts(text, length)
      assert(parts.mkString == text)
      assert(parts.forall(p => p.nonEmpty && p.length <= length))
      assert(parts.forall(p => !Character.isHighSurrogate(p.last)))
    }
    assert(Inspector.inParts("abcde", 2).toSeq == Seq("ab", "cd", "e"))
    assert(Inspector.inParts("abcd", 2).toSeq == Seq("ab", "cd"))
    assert(Inspector.inParts("", 2).isEmpty)
  }
}
