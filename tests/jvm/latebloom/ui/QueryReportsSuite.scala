// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom.ui

import java.util.concurrent.atomic.AtomicInteger

import org.json4s._
import org.json4s.jackson.JsonMethods.parse
import org.scalatest.concurrent.Eventually
import org.scalatest.time.{Seconds, Span}

import org.apache.spark.SparkConf
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.ui.SQLAppStatusStore
import org.apache.spark.status.ElementTrackingStore
import org.apache.spark.util.JsonProtocol
import org.apache.spark.util.kvstore.InMemoryStore

import latebloom.LateBloomTest
import latebloom.inspect.Inspector

class QueryReportsSuite extends LateBloomTest with Eventually {
  implicit private val formats: Formats = DefaultFormats

  private def session: SparkSession = spark

  /** The reports on the queries that `body` runs; null for one that has none. */
  private def reported(body: => Unit): Seq[String] = {
    val context = session.sparkContext
    val queries = new SQLAppStatusStore(context.statusStore.store)
    def ids = {
      context.listenerBus.waitUntilEmpty()
      queries.executionsList().map(_.executionId)
    }
    val before = ids
    body
    ids.diff(before).sorted.map(QueryReports.of(session, _))
  }

  private def withData(body: => Unit): Unit = withTable("t") {
    spark.range(1000).selectExpr("id", "cast(id % 10 as int) n").write.saveAsTable("t")
    body
  }

  test("what the reports lack is no failure of the queries") {
    QueryReports.harmless("")(throw new IllegalStateException("of a query that is not taken"))
    QueryReports.harmless("")(throw new NoClassDefFoundError("a vendor's Spark lacks it"))
    intercept[InterruptedException](QueryReports.harmless("")(throw new InterruptedException))
  }

  test("a query that ended has a report of its scans, without metrics that are zero") {
    withData {
      val Seq(told) = reported(spark.sql("select id from t where n = 3").collect())
      val json = parse(told)
      val JArray(List(scan)) = json \ "scans"
      assert((scan \ "applied").extract[Boolean])
      val steps = (scan \ "steps").children.map(s => (s \ "name", s \ "left"))
      assert(steps.head._2 == JInt(1000) && steps.last == (JString("output") -> JInt(100)))
      val metrics = (scan \ "metrics").children.map(m => (m \ "key") -> (m \ "value").extract[Long])
      assert(metrics.toMap.get(JString("rowsFiltered")).contains(900L))
      assert(metrics.forall(_._2 > 0))
      assert((json \ "seconds").extract[Double] >= 0)
      assert((json \ "plan").extract[String].contains("LateScan"))
    }
  }

  test("a scan that stays Spark's is reported with its reason") {
    withData {
      val Seq(told) = reported(spark.sql("select id from t where rand() < 0.5").collect())
      assert((parse(told) \ "scans" \ "code").extract[Seq[String]] == Seq("nothing-pushable"))
    }
  }

  test("the tab has the causes that whynot has, those with the most bytes first") {
    withData {
      for (
        query <- Seq(
          "select id from t where rand() < 0.5",
          "select id from t where n = 3 and id + rand() > 5",
          "select a.id from t a join t b on a.id = b.id"
        )
      ) {
        val Seq(report) = reported(spark.sql(query).collect())
        val shown = new Told(parse(report).asInstanceOf[JObject]).causes
        val causes = parse(Inspector.explain(spark.sql(query).queryExecution)) \ "causes"
        assert(shown.nonEmpty, query)
        assert(shown.map(_.code) == (causes \ "code").extract[Seq[String]], query)
        assert(shown.map(_.fix) == (causes \ "fix").extract[Seq[String]], query)
        val bytes = shown.flatMap(_.bytes)
        assert(bytes.size == shown.size && bytes == bytes.sorted.reverse, query)
      }
    }
  }

  test("the tab has what was read of each column, of a wide table of those that were read most") {
    withTable("wide") {
      val columns = (0 until 40).map(c => s"id + $c as c$c")
      spark.range(1000).selectExpr("id % 10 as n" +: columns: _*).write.saveAsTable("wide")
      val Seq(report) = reported(spark.sql("select * from wide where n = 3").collect())
      val Seq(scan) = new Told(parse(report).asInstanceOf[JObject]).scans
      assert(scan.taken && scan.visits.map(_.rowGroups).sum > 0)
      assert(scan.columns.size == 24)
      assert(scan.columns.map(_.skipped).sum == 40 * 900)
      assert(scan.columns.last.name == "18 more columns")
      assert(report.length < 12000)
    }
  }

  test("no report of a query without a scan, of one that fails, or if that is switched off") {
    withData {
      assert(reported(spark.range(3).collect()) == Seq(null))
      val failing = reported(intercept[Exception](
        spark.sql("select raise_error('e') from t where n = 3").collect()
      ))
      assert(failing.nonEmpty && failing.forall(_ == null))
      def query() = spark.sql("select id from t where n = 4").collect()
      for (conf <- Seq("spark.latebloom.report.enabled", "spark.latebloom.enabled"))
        withSQLConf(conf -> "false")(assert(reported(query()) == Seq(null)))
      assert(reported(query()).forall(_ != null))
    }
  }

  test("a query is reported once, however many sessions the application has") {
    withData {
      val seen = new AtomicInteger
      val counts = new SparkListener {
        override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
          case _: QueryReported => seen.incrementAndGet()
          case _                =>
        }
      }
      session.sparkContext.addSparkListener(counts)
      try {
        session.newSession().sql("select count(*) from t where n = 5").collect()
        session.sparkContext.listenerBus.waitUntilEmpty()
        session.sparkContext.listenerBus.waitUntilEmpty()
        assert(seen.get == 1)
      } finally session.sparkContext.removeSparkListener(counts)
    }
  }

  test("an event log keeps the event") {
    val event = QueryReported(7, """{"scans":[{"node":"LateScan \"x\""}]}""")
    val line = JsonProtocol.sparkEventToJsonString(event)
    assert(line.startsWith("""{"Event":"org.apache.spark.sql.latebloom.ui.QueryReported""""))
    assert(JsonProtocol.sparkEventFromJson(line) == event)
  }

  test("the last reports are kept") {
    val store = new ElementTrackingStore(new InMemoryStore, new SparkConf)
    try {
      val keeper = new QueryReports.Keeper(store)
      for (id <- 1 to 3 * QueryReports.Kept) keeper.onOtherEvent(QueryReported(id, "{}"))
      val reports = new StoredReports(store)
      // Spark removes others in a thread of its own.
      eventually(timeout(Span(20, Seconds))) {
        assert(reports.newestFirst.size <= QueryReports.Kept + 1)
      }
      assert(reports.newestFirst.head._1 == 3 * QueryReports.Kept)
      assert(reports.of(3 * QueryReports.Kept).nonEmpty && reports.of(1).isEmpty)
    } finally store.close()
  }
}
