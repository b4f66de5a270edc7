// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.datasources.v2.orc.OrcScan
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetScan
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}

import latebloom.decision.{Decision, Declined, Reason, Reasons, Residual}
import latebloom.line.Compat.when
import latebloom.read.task.Counter
import latebloom.scan.{LateScan, SelectiveFormat}

/** Reports the decision about one scan of Parquet or ORC files.
  *
  * @param table
  *   the table's name, or the paths if it has none
  * @param declined
  *   why Spark reads it; None if LateBloom does
  * @param residual
  *   the conjuncts of Spark's Filter above the scan
  * @param payload
  *   the output columns, or their parts that are read
  */
final case class ScanReport(
    node: String,
    table: String,
    format: String,
    declined: Option[Reason],
    filters: ScanReport.Filters,
    residual: Seq[Residual],
    payload: Seq[String]
)

object ScanReport {

  /** What the scan evaluates.
    *
    * @param columns
    *   in reading order
    * @param conditions
    *   as SQL, in order of evaluation
    * @param joins
    *   the filters by the keys of joins
    * @param topRows
    *   what the scan knows of the first rows of an order
    * @param outcomes
    *   what has become of each of `joins`, and of the rows that they tested; empty before the query
    *   runs
    */
  final case class Filters(
      columns: Seq[String],
      conditions: Seq[String],
      joins: Seq[String],
      topRows: Seq[String],
      outcomes: Seq[String]
  )

  private val noFilters = Filters(Nil, Nil, Nil, Nil, Nil)

  /** The reports on all scans of a plan, in plan order. */
  def ofPlan(plan: SparkPlan): Seq[ScanReport] = PlanNodes.all(plan).flatMap(ofNode)

  private def ofNode(node: SparkPlan): Option[ScanReport] = node match {
    case scan: LateScan =>
      Some(
        files(scan, scan.format.name, None).copy(
          filters = Filters(
            scan.filterColumns,
            scan.filterTexts,
            scan.joinFilters.map(_.text),
            scan.topRows.map(_.text) ++
              when(scan.options.isLimited)(s"LIMIT ${scan.options.wantedRows}"),
            outcomes(scan)
          ),
          payload = scan.payload
        )
      )
    case scan: FileSourceScanExec =>
      val why = Decision.of(scan).collect { case Declined(why, _) => why }
      SelectiveFormat
        .of(scan.relation.fileFormat)
        .map(format => files(scan, format.name, why.orElse(notInstalled)))
    case batch: BatchScanExec =>
      batch.scan match {
        case s: ParquetScan =>
          Some(dataSourceV2(batch, "parquet", s.readDataSchema.fieldNames.toSeq))
        case s: OrcScan => Some(dataSourceV2(batch, "orc", s.readDataSchema.fieldNames.toSeq))
        case _          => None
      }
    case _ => None
  }

  private def outcomes(scan: LateScan): Seq[String] = {
    val keys = for (f <- scan.joinFilters; found <- f.outcome) yield s"${f.text}: $found"
    def told(counter: Counter, what: String) =
      Some(scan.metrics(counter.key).value).filter(_ > 0).map(n => f"$n%,d $what")
    val rows = Seq(
      told(Counter.FILES_EXCLUDED, "files excluded"),
      told(Counter.JOIN_ROWS_TESTED, "rows tested"),
      told(Counter.JOIN_ROWS_DROPPED, "rows dropped"),
      told(Counter.JOIN_KEYS_LATE, "windows read before the keys came"),
      told(Counter.JOIN_FILTERS_OFF, "windows not tested, because few rows would have been dropped")
    ).flatten
    if (keys.isEmpty) Nil else keys ++ when(rows.nonEmpty)(rows.mkString(", "))
  }

  private val notInstalled = Some(Reasons.notInstalled)

  private def files(
      scan: FileSourceScanExec,
      format: String,
      declined: Option[Reason]
  ): ScanReport = ScanReport(
    node = scan.nodeName.trim,
    table = scan.tableIdentifier
      .map(_.unquotedString)
      .getOrElse(scan.relation.location.rootPaths.mkString(", ")),
    format = format,
    declined = declined,
    filters = noFilters,
    residual = Decision.of(scan).toSeq.flatMap(_.residual),
    payload = scan.requiredSchema.fieldNames.toSeq
  )

  private def dataSourceV2(batch: BatchScanExec, format: String, payload: Seq[String]): ScanReport =
    ScanReport(
      node = batch.nodeName.trim,
      table = batch.table.name,
      format = format,
      declined = Some(Reasons.dataSourceV2(format)),
      filters = noFilters,
      residual = Nil,
      payload = payload
    )
}
