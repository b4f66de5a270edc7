// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom.ui

import java.util.Locale

import org.json4s.JsonAST._

import org.apache.spark.ui.UIUtils
import org.apache.spark.util.Utils

import latebloom.read.task.Counter

/** A report as the pages show it.
  *
  * @param json
  *   see `Inspector.report`
  */
final private[ui] class Told(json: JObject) {
  import Told._

  val scans: Seq[Scan] = objects(json, "scans").map(new Scan(_))

  /** The causes for all that is left to Spark, those with the most bytes first; see
    * [[latebloom.inspect.Cause]].
    */
  val causes: Seq[Cause] = objects(json, "causes").map { c =>
    val bytes = number(c, "bytes")
    Cause(title(c, "of", ", "), text(c, "code"), text(c, "reason"), text(c, "fix"), bytes)
  }

  def taken: Seq[Scan] = scans.filter(_.taken)

  /** What a counter says of all scans together. */
  def sum(counter: Counter): Long = taken.map(_.value(counter.key)).sum

  def rowsOpened: Long = taken.flatMap(_.steps.headOption).map(_.left).sum

  def rowsReturned: Long = taken.flatMap(_.steps.lastOption).map(_.left).sum
}

private[ui] object Told {

  /** Why something is left to Spark.
    *
    * @param of
    *   the scan, predicate, join or order
    * @param fix
    *   what to do; empty if there is nothing
    * @param bytes
    *   at stake; None if they are not known
    */
  final case class Cause(
      of: String,
      code: String,
      reason: String,
      fix: String,
      bytes: Option[Long]
  )

  /** See [[latebloom.inspect.Visits]]. */
  final case class Visits(kind: String, reason: String, rowGroups: Long)

  /** See [[latebloom.scan.ColumnOutcome]]. */
  final case class Column(name: String, readAs: String, decoded: Long, bySpark: Long, skipped: Long)

  /** A step of a scan's funnel; see [[latebloom.inspect.Step]]. */
  final case class Step(name: String, left: Long, nanos: Option[Long])

  /** A metric, as the SQL tab writes values of its kind. */
  final case class Metric(label: String, value: String)

  final class Scan(json: JObject) {
    val title: String = Told.title(json, "table", " ")

    val taken: Boolean = field(json, "applied") == JBool(true)

    val steps: Seq[Step] = objects(json, "steps").map { s =>
      val nanos = number(s, "nanos")
      Step(text(s, "name"), number(s, "left").getOrElse(0), nanos)
    }

    val outcomes: Seq[String] = strings(json, "outcomes")

    val visits: Seq[Visits] = objects(json, "visits").map { v =>
      Visits(text(v, "kind"), text(v, "reason"), number(v, "rowGroups").getOrElse(0))
    }

    val columns: Seq[Column] = objects(json, "columns").map { c =>
      def of(name: String) = number(c, name).getOrElse(0L)
      Column(text(c, "name"), text(c, "readAs"), of("decoded"), of("bySpark"), of("skipped"))
    }

    private val found = objects(json, "metrics").map(m => text(m, "key") -> m)

    /** In the order in which a scan works; then Spark's own. */
    def metrics: Seq[Metric] = {
      val order = Counter.values.map(_.key).zipWithIndex.toMap
      found.sortBy { case (key, _) => order.getOrElse(key, order.size) }.map { case (_, m) =>
        Metric(text(m, "label"), amount(number(m, "value").getOrElse(0), text(m, "kind")))
      }
    }

    def value(key: String): Long =
      found.collectFirst { case (`key`, m) => number(m, "value").getOrElse(0L) }.getOrElse(0)
  }

  /** A node and what it is about, which the node's name may have already. */
  private def title(json: JObject, about: String, between: String): String = {
    val (node, of) = (text(json, "node"), text(json, about))
    if (node.endsWith(of)) node else s"$node$between$of"
  }

  private def amount(value: Long, kind: String): String = kind match {
    case "size"     => Utils.bytesToString(value)
    case "nsTiming" => UIUtils.formatDuration(value / 1000000)
    case "timing"   => UIUtils.formatDuration(value)
    case _          => count(value)
  }

  def count(value: Long): String = "%,d".formatLocal(Locale.US, value)

  private def field(of: JObject, name: String): JValue =
    of.obj.collectFirst { case (`name`, value) => value }.getOrElse(JNothing)

  private def text(of: JObject, name: String): String = field(of, name) match {
    case JString(value) => value
    case _              => ""
  }

  private def number(of: JObject, name: String): Option[Long] = field(of, name) match {
    case JInt(value)  => Some(value.toLong)
    case JLong(value) => Some(value)
    case _            => None
  }

  private def objects(of: JObject, name: String): Seq[JObject] = field(of, name) match {
    case JArray(values) => values.collect { case o: JObject => o }
    case _              => Nil
  }

  private def strings(of: JObject, name: String): Seq[String] = field(of, name) match {
    case JArray(values) => values.collect { case JString(value) => value }
    case _              => Nil
  }
}
