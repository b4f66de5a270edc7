// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom.ui

import java.util.concurrent.TimeoutException

import scala.util.control.NonFatal

import com.fasterxml.jackson.annotation.{JsonCreator, JsonProperty}
import org.json4s.JsonAST.JObject
import org.json4s.JsonDSL._
import org.json4s.jackson.JsonMethods.{compact, parse, render}
import org.slf4j.LoggerFactory

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.ui.{SQLAppStatusStore, SparkListenerSQLExecutionEnd}
import org.apache.spark.sql.latebloom.{LateBloomConf, OncePerContext}
import org.apache.spark.status.KVUtils.{KVIndexParam, viewToSeq}
import org.apache.spark.status.{ElementTrackingStore, KVUtils}
import org.apache.spark.util.kvstore.KVStore

import latebloom.inspect.Inspector

/** What the scans of a query did, when it has ended. An event, so that it is in the event log. The
  * history server shows no application with an event that it knows but cannot read: the names are
  * those of the log, not those of local variables, which the class lacks.
  *
  * @param executionId
  *   the number of the query in Spark's SQL tab
  * @param report
  *   see [[Inspector.report]]
  */
final case class QueryReported @JsonCreator() (
    @JsonProperty("executionId") executionId: Long,
    @JsonProperty("report") report: String
) extends SparkListenerEvent

/** A [[QueryReported]] as an application's store keeps it. */
final class QueryReportData @JsonCreator() (
    @JsonProperty("executionId") @KVIndexParam val executionId: Long,
    @JsonProperty("report") val report: String
)

/** The reports of an application, running or not. */
final private[ui] class StoredReports(store: KVStore) {

  /** The queries, the newest first, each with its report. */
  def newestFirst: Seq[(Long, JObject)] =
    viewToSeq(store.view(classOf[QueryReportData]).reverse()).map(d => d.executionId -> read(d))

  def nonEmpty: Boolean = store.count(classOf[QueryReportData]) > 0

  def of(executionId: Long): Option[JObject] =
    try Some(read(store.read(classOf[QueryReportData], executionId)))
    catch { case _: NoSuchElementException => None }

  private def read(data: QueryReportData): JObject = parse(data.report).asInstanceOf[JObject]
}

object QueryReports {

  /** How many queries of an application have a report: of the last ones. */
  private[ui] val Kept = 200

  private val log = LoggerFactory.getLogger("latebloom.QueryReports")

  /** The contexts whose queries are reported. */
  private val attached = new OncePerContext

  /** Reports the queries of a context from now on, and adds the tab to its UI; once. Not to be able
    * to does no harm to a query.
    */
  def attach(session: SparkSession): Unit = if (LateBloomConf.reports(session)) {
    val context = session.sparkContext
    attached(context) {
      harmless("The Spark UI has no tab LateBloom.") {
        context.statusStore.store match {
          case store: ElementTrackingStore =>
            context.addSparkListener(new Keeper(store))
            context.addSparkListener(new Reporter(context))
            context.ui.foreach(new LateBloomTab(new StoredReports(store), _))
          case _ =>
        }
      }
    }
  }

  /** Tells of a failure, and of a class that a vendor's Spark lacks, and goes on. */
  private[ui] def harmless(without: String)(body: => Unit): Unit =
    try body
    catch { case e @ (NonFatal(_) | _: LinkageError) => log.warn(without, e) }

  /** What is known of a query that ended, as [[Inspector.profile]] says it, but for the number of
    * its rows; null if it is not known. Waits until Spark has dealt with the events so far, but not
    * for ever.
    */
  def of(session: SparkSession, executionId: Long): String = {
    val context = session.sparkContext
    awaitEvents(context)
    val found = for {
      report <- new StoredReports(context.statusStore.store).of(executionId)
      query <- new SQLAppStatusStore(context.statusStore.store).execution(executionId)
    } yield {
      val ended = query.completionTime.fold(query.submissionTime)(_.getTime)
      ("seconds" -> (ended - query.submissionTime) / 1e3) ~
        ("plan" -> query.physicalPlanDescription) ~ report
    }
    found.fold[String](null)(told => compact(render(told)))
  }

  /** `[{"executionId", "description", "seconds", "scans", "taken"}]`: the queries of which there is
    * a report, the newest first, and how many of their scans LateBloom took.
    */
  def list(session: SparkSession): String = {
    val context = session.sparkContext
    awaitEvents(context)
    val queries = new SQLAppStatusStore(context.statusStore.store)
    val found = new StoredReports(context.statusStore.store).newestFirst.map { case (id, json) =>
      val told = new Told(json)
      val query = queries.execution(id)
      val millis = query.flatMap(q => q.completionTime.map(_.getTime - q.submissionTime))
      ("executionId" -> id) ~ ("description" -> query.map(_.description)) ~
        ("seconds" -> millis.map(_ / 1e3)) ~
        ("scans" -> told.scans.size) ~ ("taken" -> told.taken.size)
    }
    compact(render(found))
  }

  /** The end of a query makes one more event. */
  private def awaitEvents(context: SparkContext): Unit =
    try for (_ <- 1 to 2) context.listenerBus.waitUntilEmpty()
    catch { case _: TimeoutException => log.info("Spark is busy with events of its listeners.") }

  /** Posts a report of each query that ends. */
  final private class Reporter(context: SparkContext) extends SparkListener {
    override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
      case end: SparkListenerSQLExecutionEnd if end.qe != null && end.executionFailure.isEmpty =>
        val session = end.qe.sparkSession
        harmless(s"Query ${end.executionId} has no report.") {
          session.withActive {
            if (LateBloomConf.reports(session)) {
              Inspector.report(end.qe)
                .foreach(told => context.listenerBus.post(QueryReported(end.executionId, told)))
            }
          }
        }
      case _ =>
    }
  }

  /** Keeps the last reports that are posted, of a running application or of a log. */
  final private[ui] class Keeper(store: ElementTrackingStore) extends SparkListener {
    store.addTrigger(classOf[QueryReportData], Kept) { count =>
      val oldest = store.view(classOf[QueryReportData]).max(count - Kept)
      KVUtils.viewToSeq(oldest).foreach(d => store.delete(classOf[QueryReportData], d.executionId))
    }

    override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
      case QueryReported(id, report) =>
        store.write(new QueryReportData(id, report), checkTriggers = true)
      case _ =>
    }
  }
}
