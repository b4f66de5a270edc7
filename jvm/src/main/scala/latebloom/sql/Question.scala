// SPDX-License-Identifier: Apache-2.0
package latebloom.sql

import org.json4s.JsonAST._
import org.json4s.JsonDSL._
import org.json4s.jackson.JsonMethods.parse

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.latebloom.SessionQueries
import org.apache.spark.sql.latebloom.ui.QueryReports
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import latebloom.inspect.Inspector

/** What a table function answers, in rows that it makes of the JSON of [[Inspector]].
  *
  * @param columns
  *   of the answer
  * @param needsQuery
  *   whether it is asked about a query
  */
sealed abstract private[latebloom] class Question(
    val columns: StructType,
    val needsQuery: Boolean
) {

  /** Answers in a session, about an analysed query if it needs one. What happens, happens here: a
    * query runs, a cache is emptied.
    */
  def answer(session: SparkSession, query: Option[LogicalPlan]): Seq[Row]
}

final private[latebloom] class AboutSession(columns: StructType)(ask: SparkSession => Seq[JValue])
    extends Question(columns, needsQuery = false) {
  override def answer(session: SparkSession, query: Option[LogicalPlan]): Seq[Row] =
    ask(session).map(JsonRows(_, columns))
}

final private[latebloom] class AboutQuery(columns: StructType)(ask: QueryExecution => Seq[JValue])
    extends Question(columns, needsQuery = true) {
  override def answer(session: SparkSession, query: Option[LogicalPlan]): Seq[Row] =
    query.toSeq.flatMap(q => ask(SessionQueries.of(session, q))).map(JsonRows(_, columns))
}

private[latebloom] object Question {

  val version: Question = aboutSession("version STRING, spark STRING, scala STRING") { _ =>
    Seq(parse(Inspector.version()))
  }

  val confs: Question =
    aboutSession("key STRING, value STRING, default STRING, type STRING, doc STRING") { session =>
      parse(Inspector.confs(session)).children.sortBy(c => text(c \ "key"))
    }

  val cache: Question = aboutSession(Totals)(_ => Seq(parse(Inspector.cache())))

  /** Answers with what was forgotten. */
  val clearCache: Question = aboutSession(Totals) { _ =>
    val before = parse(Inspector.cache())
    Inspector.clearCache()
    Seq(before)
  }

  val explain: Question = aboutQuery(
    "part STRING, node STRING, of STRING, applied BOOLEAN, code STRING, reason STRING, fix STRING, " +
      "bytes BIGINT, format STRING, filter_columns ARRAY<STRING>, scan_filters ARRAY<STRING>, " +
      "join_filters ARRAY<STRING>, top_rows ARRAY<STRING>, " +
      "residual ARRAY<STRUCT<conjunct: STRING, code: STRING, reason: STRING, fix: STRING>>, " +
      "payload ARRAY<STRING>"
  ) { query =>
    val told = parse(Inspector.explain(query))
    (told \ "scans").children.map(scan => named("scan", scan \ "table") merge scan) ++
      (told \ "joins").children.map(join =>
        named("join", join \ "of") ~ ("joinFilters" -> join \ "filters") merge join
      ) ++
      (told \ "orders").children.map(order => named("order", order \ "on") merge order)
  }

  val whyNot: Question = aboutQuery(
    "part STRING, node STRING, of STRING, code STRING, reason STRING, fix STRING, bytes BIGINT"
  )(query => (parse(Inspector.explain(query)) \ "causes").children)

  /** Runs the query, and tells of it, then of each scan, followed by the steps of its funnel, its
    * visits of row groups, and its columns.
    */
  val profile: Question =
    aboutQuery(Profiled)(query => profiled(parse(Inspector.profile(query))))

  /** The same of a query of the application that has ended, by its number, but for the number of
    * its rows.
    */
  def profileOf(executionId: Long): Question = aboutSession(Profiled) { session =>
    QueryReports.of(session, executionId) match {
      case null => throw SessionQueries.refusal("latebloom_profile", unknown(executionId))
      case told => profiled(parse(told))
    }
  }

  /** The queries of the application that [[profileOf]] knows. */
  val queries: Question = aboutSession(
    "execution_id BIGINT, description STRING, seconds DOUBLE, scans BIGINT, taken BIGINT"
  )(session => parse(QueryReports.list(session)).children)

  private def unknown(executionId: Long): String =
    s"Nothing is known of query $executionId: it reads no files, has not ended, failed, is not " +
      "among the last 200, or ran with spark.latebloom.report.enabled=false. To do: take its " +
      "number from latebloom_queries(), or from the tab LateBloom of the Spark UI."

  /** The whole of an answer, as Python reads it, by the name of the question. */
  val json: Map[String, Question] = Map(
    "version" -> wholeOfSession(_ => Inspector.version()),
    "confs" -> wholeOfSession(Inspector.confs),
    "cache" -> wholeOfSession(_ => Inspector.cache()),
    "explain" -> wholeOfQuery(Inspector.explain),
    "profile" -> wholeOfQuery(Inspector.profile)
  )

  /** The whole of [[profileOf]]; JSON's null for a query that nothing is known of. */
  def reportOf(executionId: Long): Question = aboutSession(Whole) { session =>
    Seq("json" -> Option(QueryReports.of(session, executionId)))
  }

  private def profiled(told: JValue): Seq[JValue] = {
    val whole: JValue =
      ("part" -> "query") ~ ("rowsOut" -> told \ "rows") ~ ("seconds" -> told \ "seconds")
    whole +: (told \ "scans").children.zipWithIndex.flatMap { case (scan, i) => profiled(scan, i) }
  }

  private def profiled(scan: JValue, number: Int): Seq[JValue] = {
    val metrics = (scan \ "metrics").children.map(m => text(m \ "key") -> m \ "value")
    val of = ("scan" -> number) ~ ("node" -> scan \ "node")
    val whole = of ~ ("part" -> "scan") ~ ("of" -> scan \ "table") ~
      ("applied" -> scan \ "applied") ~ ("code" -> scan \ "code") ~
      ("rowsOut" -> metrics.collectFirst { case ("numOutputRows", rows) => rows }) ~
      ("outcomes" -> scan \ "outcomes") ~ ("metrics" -> JObject(metrics))
    val steps = (scan \ "steps").children.map { step =>
      of ~ ("part" -> "step") ~ ("of" -> step \ "name") ~ ("rowsIn" -> step \ "rows") ~
        ("rowsOut" -> step \ "left") ~ ("seconds" -> seconds(step \ "nanos"))
    }
    val visits = (scan \ "visits").children.map { v =>
      of ~ ("part" -> "visits") ~ ("of" -> v \ "kind") ~ ("code" -> v \ "code") ~
        ("metrics" -> ("rowGroups" -> v \ "rowGroups"))
    }
    val columns = (scan \ "columns").children.map { c =>
      val counted = Seq("decoded", "bySpark", "skipped").map(key => key -> c \ key)
      of ~ ("part" -> "column") ~ ("of" -> c \ "name") ~ ("readAs" -> c \ "readAs") ~
        ("metrics" -> JObject(counted.toList))
    }
    whole +: (steps ++ visits ++ columns)
  }

  private def seconds(nanos: JValue): JValue = nanos match {
    case JInt(number) => JDouble(number.toDouble / 1e9)
    case other        => other
  }

  private def named(part: String, of: JValue): JObject = ("part" -> part) ~ ("of" -> of)

  private def text(value: JValue): String = value match {
    case JString(text) => text
    case other => throw new IllegalStateException(s"LateBloom's answer has $other for a text")
  }

  private def wholeOfSession(ask: SparkSession => String): Question =
    aboutSession(Whole)(session => Seq("json" -> ask(session)))

  private def wholeOfQuery(ask: QueryExecution => String): Question =
    aboutQuery(Whole)(query => Seq("json" -> ask(query)))

  private def aboutSession(columns: String)(ask: SparkSession => Seq[JValue]): Question =
    new AboutSession(StructType.fromDDL(columns))(ask)

  private def aboutQuery(columns: String)(ask: QueryExecution => Seq[JValue]): Question =
    new AboutQuery(StructType.fromDDL(columns))(ask)

  private def Whole = "json STRING"

  private def Profiled = "part STRING, scan BIGINT, node STRING, of STRING, applied BOOLEAN, " +
    "code STRING, rows_in BIGINT, rows_out BIGINT, seconds DOUBLE, outcomes ARRAY<STRING>, " +
    "metrics MAP<STRING, BIGINT>, read_as STRING"

  private def Totals = "conditions BIGINT, files BIGINT, bytes BIGINT, max_bytes BIGINT, " +
    "lookups BIGINT, hits BIGINT, splits BIGINT, rows BIGINT, " +
    "metadata_files BIGINT, metadata_bytes BIGINT, metadata_hits BIGINT"
}
