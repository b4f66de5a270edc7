// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import org.json4s.JsonAST.{JNull, JObject, JString, JValue}
import org.json4s.JsonDSL._
import org.json4s.jackson.JsonMethods.{compact, render}

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.{
  CollectLimitExec,
  FormattedMode,
  QueryExecution,
  SQLExecution,
  SparkPlan,
  TakeOrderedAndProjectExec
}
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.cache.PredicateCache
import latebloom.decision.{Reason, ShortSql}
import latebloom.index.SkipIndexes
import latebloom.line.Compat._
import latebloom.read.io.MetadataCache
import latebloom.scan.LateScan
import latebloom.statistics.ScanSizes

/** Answers Python's questions, in JSON. */
object Inspector {

  /** `{"version", "spark", "scala"}`: LateBloom's version and those it runs on. */
  def version(): String = json(
    ("version" -> Option(getClass.getPackage.getImplementationVersion).getOrElse("development")) ~
      ("spark" -> SPARK_VERSION) ~
      ("scala" -> scala.util.Properties.versionNumberString)
  )

  /** `[{"key", "default", "value", "type", "doc"}]`. */
  def confs(session: SparkSession): String = json(
    LateBloomConf.describe(LateBloomConf.of(session)).map { c =>
      ("key" -> c.key) ~ ("default" -> c.default) ~ ("value" -> c.value) ~
        ("type" -> c.kind) ~ ("doc" -> c.doc)
    }
  )

  /** `{"conditions", "files", "bytes", "maxBytes", "lookups", "hits", "splits", "rows",
    * "metadataFiles", "metadataBytes", "metadataHits"}`, see [[PredicateCache.Totals]] and
    * [[MetadataCache.Totals]].
    */
  def cache(): String = {
    val totals = PredicateCache.totals
    val metadata = MetadataCache.totals
    json(
      ("conditions" -> totals.conditions) ~ ("files" -> totals.files) ~
        ("bytes" -> totals.bytes) ~ ("maxBytes" -> totals.maxBytes) ~
        ("lookups" -> totals.use.lookups) ~ ("hits" -> totals.use.hits) ~
        ("splits" -> totals.use.splits) ~ ("rows" -> totals.use.rows) ~
        ("metadataFiles" -> metadata.files) ~ ("metadataBytes" -> metadata.bytes) ~
        ("metadataHits" -> metadata.hits)
    )
  }

  /** Forgets what scans remember. */
  def clearCache(): Unit = {
    PredicateCache.clear()
    ScanSizes.clear()
    MetadataCache.clear()
  }

  /** Builds a skip index, see [[SkipIndexes.build]]: `{"indexed", "known", "fresh", "dropped",
    * "bytes", "seconds"}`.
    */
  def buildIndex(table: QueryExecution, columns: java.util.List[String], into: String): String = {
    val built = SkipIndexes.build(table, columns.asScala.toSeq, into)
    json(
      ("indexed" -> built.indexed) ~ ("known" -> built.known) ~ ("fresh" -> built.fresh) ~
        ("dropped" -> built.dropped) ~ ("bytes" -> built.bytes) ~ ("seconds" -> built.seconds)
    )
  }

  /** `[{"path", "columns": [{"name", "kinds", "bytes"}], "stale"}]`: what a folder has of each
    * file.
    */
  def listIndex(session: SparkSession, folder: String): String = json(
    SkipIndexes.list(session, folder).map { file =>
      ("path" -> file.path) ~
        ("columns" -> file.columns.map { c =>
          ("name" -> c.name) ~ ("kinds" -> c.kinds) ~ ("bytes" -> c.bytes)
        }) ~ ("stale" -> file.isStale)
    }
  )

  /** Drops the entries of the files below a path, or all if it is null; returns how many files
    * these are.
    */
  def dropIndex(session: SparkSession, folder: String, below: String): Int =
    SkipIndexes.drop(session, folder, Option(below))

  /** `{"plan", "scans", "joins", "orders", "causes"}`: formatted EXPLAIN, reports on each Parquet
    * or ORC scan, on each side of an equi-join, and on each ORDER BY with LIMIT, and the [[Cause]]s
    * of what is left to Spark.
    */
  def explain(query: QueryExecution): String = {
    val scans = ScanReport.ofPlan(query.executedPlan)
    json(
      ("plan" -> query.explainString(FormattedMode)) ~
        decisions(query.executedPlan, scans, scans.map(describe))
    )
  }

  /** `[{"node", <metric>: <value>, …}]`, one object per LateScan of the executed plan. */
  def metrics(query: QueryExecution): String = json(
    PlanNodes.all(query.executedPlan).collect { case scan: LateScan =>
      val values = scan.metrics.toSeq.sortBy(_._1).map { case (key, m) => key -> (m.value: JValue) }
      JObject(("node" -> (scan.nodeName.trim: JValue)) +: values: _*)
    }
  )

  /** Runs a query, whose rows it drops, and reports on it:
    *
    * {{{
    * {"seconds", "rows", "scans": [{…, "metrics": [{"key", "label", "kind", "value"}],
    *   "steps": [{"name", "rows", "left", "nanos"}], "outcomes",
    *   "visits": [{"kind", "code", "reason", "rowGroups"}],
    *   "columns": [{"name", "readAs", "decoded", "bySpark", "skipped"}]}], "joins", "orders", "plan"}
    * }}}
    *
    * with all that [[explain]] says; see [[Step]], [[Visits]] and [[latebloom.scan.ColumnOutcome]].
    * The kinds are those of Spark's metrics: `sum`, `size` (bytes), `timing` (milliseconds),
    * `nsTiming`.
    */
  def profile(query: QueryExecution): String = {
    val start = System.nanoTime()
    val rows = SQLExecution.withNewExecutionId(query, Some("latebloom profile"))(run(query))
    val seconds = (System.nanoTime() - start) / 1e9
    json(
      ("seconds" -> seconds) ~ ("rows" -> rows) ~
        ("plan" -> query.explainString(FormattedMode)) ~
        whatItDid(query.executedPlan, scans(query.executedPlan), Detail(_ => true, Int.MaxValue))
    )
  }

  /** [[profile]] in parts of less than 8 KiB, for py4j: it writes an answer 8 KiB at a time, and
    * the kernel holds back what is left until the first part is acknowledged, 40 ms later.
    */
  def profileInParts(query: QueryExecution): Array[String] = inParts(profile(query), Part)

  /** In characters, each of at most three bytes. */
  private val Part = 2700

  /** A text in parts of so many characters, or of one less where two are one code point. */
  private[inspect] def inParts(text: String, length: Int): Array[String] = {
    val ends = Iterator.iterate(0) { start =>
      val end = math.min(start + length, text.length)
      if (end < text.length && Character.isHighSurrogate(text.charAt(end - 1))) end - 1 else end
    }
    val starts = ends.takeWhile(_ < text.length).toArray
    starts.zip(starts.drop(1) :+ text.length).map { case (start, end) =>
      text.substring(start, end)
    }
  }

  /** What [[profile]] says of a query that ran, but for its time, rows and plan, for metrics that
    * are zero, and for most columns of a wide table; None if it has no scan of tables or files.
    */
  def report(query: QueryExecution): Option[String] = {
    val found = scans(query.executedPlan)
    val detail = Detail(_.value != 0, ReportedColumns)
    when(found.nonEmpty)(json(whatItDid(query.executedPlan, found, detail)))
  }

  /** Of a scan, so that a report stays small. */
  private val ReportedColumns = 24

  /** How much is said of what a scan did. */
  final private case class Detail(metrics: SQLMetric => Boolean, columns: Int)

  /** The scans of a plan, each with the report on it. */
  private def scans(plan: SparkPlan): Seq[(SparkPlan, ScanReport)] = for {
    node <- PlanNodes.all(plan)
    report <- ScanReport.ofNode(node)
  } yield node -> report

  private def whatItDid(
      plan: SparkPlan,
      scans: Seq[(SparkPlan, ScanReport)],
      detail: Detail
  ): JObject = {
    val described = scans.map { case (node, report) =>
      describe(report) ~ whatItDid(node, report, detail)
    }
    decisions(plan, scans.map(_._2), described)
  }

  private def decisions(
      plan: SparkPlan,
      scans: Seq[ScanReport],
      described: Seq[JObject]
  ): JObject = {
    val joins = JoinReport.ofPlan(plan)
    val orders = TopKReport.ofPlan(plan)
    ("scans" -> described) ~
      ("joins" -> joins.map(describe)) ~
      ("orders" -> orders.map(describe)) ~
      ("causes" -> Cause.of(scans, joins, orders).map(describe))
  }

  /** Returns how many rows a query has. A LIMIT takes them from as few partitions as when they are
    * collected.
    */
  private def run(query: QueryExecution): Long = {
    val root = query.executedPlan match {
      case adaptive: AdaptiveSparkPlanExec => adaptive.executedPlan
      case plan                            => plan
    }
    root match {
      case _: CollectLimitExec | _: TakeOrderedAndProjectExec =>
        query.executedPlan.executeCollect().length.toLong
      case _ =>
        val rdd = query.toRdd
        rdd.sparkContext.runJob(rdd, (part: Iterator[InternalRow]) => part.size.toLong).sum
    }
  }

  private def whatItDid(
      node: SparkPlan,
      report: ScanReport,
      detail: Detail
  ): JObject = {
    val metrics = node.metrics.toSeq.sortBy(_._1).collect {
      case (key, m) if detail.metrics(m) =>
        ("key" -> key) ~ ("label" -> m.name.getOrElse(key)) ~ ("kind" -> m.metricType) ~
          ("value" -> m.value)
    }
    val late = node match {
      case scan: LateScan => Some(scan)
      case _              => None
    }
    def of[A](what: LateScan => Seq[A]): Seq[A] = late.toSeq.flatMap(what)
    ("metrics" -> metrics) ~ ("outcomes" -> report.filters.outcomes) ~
      ("steps" -> of(Funnel.of).map(s =>
        ("name" -> s.name) ~ ("rows" -> s.rows) ~ ("left" -> s.left) ~ ("nanos" -> s.nanos)
      )) ~
      ("visits" -> of(Visits.of).map(v =>
        ("kind" -> v.kind) ~ ("code" -> v.code) ~ ("reason" -> v.reason) ~
          ("rowGroups" -> v.rowGroups)
      )) ~
      ("columns" -> of(ReadColumns.of(_, detail.columns)).map(c =>
        ("name" -> c.name) ~ ("readAs" -> c.readAs) ~ ("decoded" -> c.decoded) ~
          ("bySpark" -> c.bySpark) ~ ("skipped" -> c.skipped)
      ))
  }

  private def describe(scan: ScanReport): JObject =
    ("node" -> scan.node) ~
      ("table" -> scan.source.table) ~
      ("format" -> scan.source.format) ~
      ("applied" -> scan.declined.isEmpty) ~
      whyNot(scan.declined) ~
      ("filterColumns" -> scan.filters.columns) ~
      ("scanFilters" -> scan.filters.conditions) ~
      ("joinFilters" -> scan.filters.joins) ~
      ("topRows" -> scan.filters.topRows) ~
      ("planned" -> scan.filters.planned) ~
      ("residual" -> scan.residual.map { r =>
        ("conjunct" -> ShortSql(r.conjunct)) ~
          ("code" -> r.why.code) ~
          ("reason" -> r.why.reason) ~
          ("fix" -> r.why.fix)
      }) ~
      ("payload" -> scan.payload) ~
      ("bytes" -> scan.source.bytes)

  private def describe(join: JoinReport): JObject =
    ("node" -> join.node) ~
      ("on" -> join.side.on) ~
      ("of" -> join.of) ~
      ("applied" -> join.declined.isEmpty) ~
      whyNot(join.declined) ~
      ("filters" -> join.side.filters) ~
      ("bytes" -> join.bytes)

  private def describe(top: TopKReport): JObject =
    ("node" -> top.node) ~
      ("on" -> top.on) ~
      ("applied" -> top.declined.isEmpty) ~
      whyNot(top.declined) ~
      ("bytes" -> top.bytes)

  private def describe(cause: Cause): JObject =
    ("part" -> cause.part) ~ ("node" -> cause.node) ~ ("of" -> cause.of) ~
      whyNot(Some(cause.why)) ~ ("bytes" -> cause.bytes)

  private def whyNot(declined: Option[Reason]): JObject = {
    def told(part: Reason => String) = declined.fold[JValue](JNull)(why => JString(part(why)))
    ("code" -> told(_.code)) ~ ("reason" -> told(_.reason)) ~ ("fix" -> told(_.fix))
  }

  private def json(value: JValue): String = compact(render(value))
}
