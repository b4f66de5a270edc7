// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom.ui

import java.util.Locale

import scala.util.Try
import scala.xml.{Node, NodeSeq}

import org.apache.spark.ui.{UIUtils, WebUIPage}
import org.apache.spark.util.Utils

import latebloom.line.Servlets.Request
import latebloom.read.task.Counter

/** All reported queries of the application, the newest first. */
final private[ui] class QueriesPage(tab: LateBloomTab) extends WebUIPage("") {
  import Pages._

  override def render(request: Request): Seq[Node] = {
    val queries = tab.reports.newestFirst.map { case (id, json) => id -> new Told(json) }
    val content = if (queries.isEmpty) {
      <p>No query that reads tables or files has ended yet.</p>
    } else summary(queries.map(_._2)) ++ table(
      Seq("ID", "Description", "Duration", "Scans taken", "Rows opened", "Rows returned") ++
        Seq("Fetched", "Not fetched", "Left to Spark because"),
      queries.map { case (id, told) => row(request, id, told) }
    )
    UIUtils.headerSparkPage(request, "LateBloom", content ++ confs, tab)
  }

  private def summary(told: Seq[Told]): NodeSeq = {
    val shown = Seq(
      s"Queries (of the last ${QueryReports.Kept} that read tables or files)" -> Told.count(
        told.size
      ),
      "Scans taken" -> s"${told.map(_.taken.size).sum} of ${told.map(_.scans.size).sum}",
      "Bytes fetched" -> bytes(told, Counter.BYTES_FETCHED),
      "Bytes not fetched" -> bytes(told, Counter.BYTES_AVOIDED),
      "Rows of row groups that were opened" -> Told.count(told.map(_.rowsOpened).sum),
      "Rows returned" -> Told.count(told.map(_.rowsReturned).sum)
    )
    <ul class="list-unstyled">{
      shown.map { case (name, value) => <li><strong>{name}: </strong>{value}</li> }
    }</ul>
  }

  private def bytes(told: Seq[Told], of: Counter) = Utils.bytesToString(told.map(_.sum(of)).sum)

  private def row(request: Request, id: Long, told: Told): Seq[Any] = {
    val query = tab.query(id)
    val took = query.flatMap(q => q.completionTime.map(_.getTime - q.submissionTime))
    val codes = told.causes.map(_.code).distinct
    Seq(
      <a href={s"${root(request, tab)}/latebloom/query/?id=$id"}>{id}</a>,
      query.fold("")(_.description),
      took.fold("")(UIUtils.formatDuration),
      s"${told.taken.size} of ${told.scans.size}",
      Told.count(told.rowsOpened),
      Told.count(told.rowsReturned),
      Utils.bytesToString(told.sum(Counter.BYTES_FETCHED)),
      Utils.bytesToString(told.sum(Counter.BYTES_AVOIDED)),
      codes.mkString(", ")
    )
  }

  private def confs: NodeSeq = if (tab.confs.isEmpty) NodeSeq.Empty
  else
    <h4>Settings of the application</h4> ++
      table(Seq("Setting", "Value"), tab.confs.map { case (key, value) => Seq(key, value) })
}

/** One query: the funnel of each scan, and why the others are Spark's. */
final private[ui] class QueryPage(tab: LateBloomTab) extends WebUIPage("query") {
  import Pages._

  override def render(request: Request): Seq[Node] = {
    val asked = Option(request.getParameter("id")).getOrElse("")
    val found = for {
      id <- Try(asked.toLong).toOption
      json <- tab.reports.of(id)
    } yield id -> new Told(json)
    val content: NodeSeq = found match {
      case Some((id, told)) => query(request, id, told)
      case None             =>
        <p>No report of query {asked}: it reads no tables or files, has not ended, failed, or is not
          among the last {QueryReports.Kept}.</p>
    }
    UIUtils.headerSparkPage(request, s"LateBloom: query $asked", content, tab)
  }

  private def query(request: Request, id: Long, told: Told): NodeSeq = {
    val known = tab.query(id)
    val changed = known.toSeq.flatMap(_.modifiedConfigs.toSeq.sorted)
      .filter(_._1.startsWith(LateBloomTab.Confs))
    val head =
      <p>{known.fold("")(_.description)}
        <a href={s"${root(request, tab)}/SQL/execution/?id=$id"}>Plan of query {id}</a></p>
    val settings = if (changed.isEmpty) NodeSeq.Empty
    else
      <h4>Settings of the session</h4> ++
        table(Seq("Setting", "Value"), changed.map { case (key, value) => Seq(key, value) })
    head ++ told.taken.flatMap(scan) ++ left(told.causes) ++ settings
  }

  private def scan(scan: Told.Scan): NodeSeq = {
    val whole = scan.steps.headOption.fold(0L)(_.left)
    val steps = scan.steps.map { s =>
      val share = if (whole > 0) "%.2f %%".formatLocal(Locale.US, 100.0 * s.left / whole) else ""
      Seq(
        s.name,
        Told.count(s.left),
        share,
        s.nanos.fold("")(n => UIUtils.formatDuration(n / 1000000))
      )
    }
    <h4>{scan.title}</h4> ++
      table(Seq("Step", "Rows left", "Of all", "Time, all tasks"), steps) ++
      <ul>{(scan.outcomes ++ scan.visits.map(visits)).map(o => <li>{o}</li>)}</ul> ++
      columns(scan.columns) ++
      <details><summary>Metrics</summary>{
        table(Seq("Metric", "Value"), scan.metrics.map(m => Seq(m.label, m.value)))
      }</details>
  }

  private def visits(of: Told.Visits): String = {
    val read = if (of.kind == "late") "late" else "eagerly"
    s"${Told.count(of.rowGroups)} row groups read $read: ${of.reason}"
  }

  private def columns(of: Seq[Told.Column]): NodeSeq = if (of.isEmpty) NodeSeq.Empty
  else {
    val rows = of.map { c =>
      Seq(c.name, c.readAs) ++ Seq(c.decoded, c.bySpark, c.skipped).map(Told.count)
    }
    val headers = Seq("Column", "Read as", "Values decoded", "By Spark's reader", "Skipped")
    <details><summary>Columns</summary>{table(headers, rows)}</details>
  }

  private def left(causes: Seq[Told.Cause]): NodeSeq = if (causes.isEmpty) NodeSeq.Empty
  else
    <h4>Left to Spark</h4> ++ table(
      Seq("What", "Bytes", "Code", "Why", "What to do"),
      causes.map { c =>
        Seq(c.of, c.bytes.fold("")(b => Utils.bytesToString(b)), c.code, c.reason, c.fix)
      }
    )
}

private object Pages {

  /** The address of the application's pages, behind a proxy or in the history server, too. */
  def root(request: Request, tab: LateBloomTab): String =
    UIUtils.prependBaseUri(request, tab.basePath)

  /** A table that is sorted by a click. Cells are texts or markup. */
  def table(headers: Seq[String], rows: Seq[Seq[Any]]): NodeSeq = UIUtils.listingTable[Seq[Any]](
    headers,
    (row: Seq[Any]) => <tr>{row.map(cell => <td>{cell}</td>)}</tr>,
    rows
  )
}
