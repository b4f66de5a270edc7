// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import scala.util.Properties

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.execution.SparkPlan

import latebloom.decision.{Reason, Residual, ShortSql}
import latebloom.line.{ExplainProvider, SparkLine}

/** The class to name in `spark.sql.extendedExplainProviders`: adds the decision about each scan and
  * join to EXPLAIN.
  */
class LateBloomExplain extends ExplainProvider {

  override def title: String = "LateBloom"

  override def generateExtendedInfo(plan: SparkPlan): String =
    if (SparkLine.isSupported(SPARK_VERSION, Properties.versionNumberString)) describe(plan)
    else SparkLine.refusal(SPARK_VERSION, Properties.versionNumberString) + "\n"

  private def describe(plan: SparkPlan): String =
    ScanReport.ofPlan(plan) match {
      case Nil   => "No scan of files.\n"
      case scans =>
        scans.map(describe).mkString + JoinReport.ofPlan(plan).map(describe).mkString +
          TopKReport.ofPlan(plan).map(describe).mkString
    }

  private def describe(join: JoinReport): String = {
    val verdict = join.declined.fold(s"applied, ${join.side.filters.mkString(", ")}")(why =>
      s"declined, ${because(why)}"
    )
    s"${join.node}, keys of ${join.of}: $verdict\n"
  }

  private def describe(top: TopKReport): String = {
    val verdict = top.declined.fold("applied, the first rows are searched before they are read")(
      why => s"declined, ${because(why)}"
    )
    s"${top.node}, first rows by ${top.on}: $verdict\n"
  }

  private def describe(scan: ScanReport): String = {
    val verdict = scan.declined match {
      case None =>
        Seq(
          s"${named(scan)}: applied",
          s"  filter columns: ${listed(scan.filters.columns, ", ")}",
          s"  scan filters: ${listed(scan.filters.conditions, " AND ")}",
          s"  payload: ${listed(scan.payload, ", ")}"
        ) ++ scan.filters.joins.map(f => s"  join filter: $f") ++
          scan.filters.topRows.map(t => s"  first rows: $t") ++
          scan.filters.planned.map(n =>
            f"  planned with: $n%,d rows, as an earlier scan counted"
          ) ++
          scan.filters.outcomes.map(o => s"  has run: $o")
      case Some(why) =>
        Seq(s"${named(scan)}: declined, ${because(why)}")
    }
    (verdict ++ scan.residual.map(describe)).map(_ + "\n").mkString
  }

  private def listed(of: Seq[String], between: String): String =
    if (of.isEmpty) "none" else of.mkString(between)

  /** The node, whose name has the table, or else the end of its path. */
  private def named(scan: ScanReport): String =
    if (scan.node.contains(scan.source.table)) scan.node
    else {
      val path = scan.source.table
      s"${scan.node} ${if (path.length > MostPath) "…" + path.takeRight(MostPath) else path}"
    }

  private val MostPath = 60

  private def describe(residual: Residual): String =
    s"  residual: ${ShortSql(residual.conjunct)}, ${because(residual.why)}"

  private def because(why: Reason): String = s"${why.code}: ${why.reason} ${why.fix}"
}
