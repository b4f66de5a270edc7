// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.datasources.v2.orc.OrcScan
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetScan
import org.apache.spark.sql.execution.{FileSourceScanExec, LeafExecNode, SparkPlan}
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType

import latebloom.decision.{Decision, Declined, Reason, Reasons, Residual}
import latebloom.line.Compat.when
import latebloom.read.task.Counter
import latebloom.scan.{LateScan, SelectiveFormat}
import latebloom.statistics.SizedFilter
import latebloom.tables.IcebergTables

/** Reports the decision about one scan of a table or of files.
  *
  * @param declined
  *   why Spark reads it; None if LateBloom does
  * @param residual
  *   the conjuncts of Spark's Filter above the scan
  * @param payload
  *   the output columns, or their parts that are read
  */
final case class ScanReport(
    node: String,
    source: ScanReport.Source,
    declined: Option[Reason],
    filters: ScanReport.Filters,
    residual: Seq[Residual],
    payload: Seq[String]
)

object ScanReport {

  /** What the scan reads.
    *
    * @param table
    *   the table's name, or the paths if it has none
    * @param bytes
    *   of the files, before any of them is left out
    */
  final case class Source(table: String, format: String, bytes: Option[Long])

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
    * @param planned
    *   the rows that Spark planned with, if an earlier scan has counted them
    * @param outcomes
    *   what has become of each of `joins`, and of the rows that they tested, and what the scan left
    *   out by what an earlier one found; empty before the query runs
    */
  final case class Filters(
      columns: Seq[String],
      conditions: Seq[String],
      joins: Seq[String],
      topRows: Seq[String],
      planned: Option[Long],
      outcomes: Seq[String]
  )

  private val noFilters = Filters(Nil, Nil, Nil, Nil, None, Nil)

  /** The reports on all scans of a plan, in plan order. */
  def ofPlan(plan: SparkPlan): Seq[ScanReport] = PlanNodes.all(plan).flatMap(ofNode)

  /** The report on a node; None if it is no scan. */
  def ofNode(node: SparkPlan): Option[ScanReport] = node match {
    case scan: LateScan =>
      Some(
        files(scan, scan.format.name, None).copy(
          filters = Filters(
            scan.filterColumns,
            scan.filterTexts,
            scan.joinFilters.map(_.text),
            scan.topRows.map(_.text) ++
              when(scan.options.isLimited)(s"LIMIT ${scan.options.wantedRows}") ++
              when(scan.options.distinct)("each value once, where a dictionary has them"),
            planned(scan),
            outcomes(scan)
          ),
          payload = scan.payload
        )
      )
    case scan: FileSourceScanExec =>
      val why = Decision.of(scan).collect { case Declined(why, _) => why }
      Some(SelectiveFormat.of(scan.relation.fileFormat) match {
        case Some(format) => files(scan, format.name, why.orElse(notInstalled))
        case None         =>
          val format = name(scan.relation.fileFormat)
          files(scan, format, Some(Reasons.otherFormat(format)))
      })
    case batch: BatchScanExec =>
      Some(batch.scan match {
        case s: ParquetScan                  => dataSourceV2(batch, "parquet", s.readDataSchema)
        case s: OrcScan                      => dataSourceV2(batch, "orc", s.readDataSchema)
        case s if IcebergTables.isIceberg(s) => iceberg(batch)
        case other                           =>
          val source = other.getClass.getName
          dataSourceV2(batch, source, other.readSchema)
            .copy(declined = Some(Reasons.otherSource(source)))
      })
    case hive: LeafExecNode if hive.getClass.getName == HiveScan =>
      Some(
        ScanReport(
          node = hive.nodeName.trim,
          source = Source(hive.nodeName.trim.split(' ').last, "hive", None),
          declined = Some(Reasons.otherFormat("hive")),
          filters = noFilters,
          residual = Nil,
          payload = hive.output.map(_.name)
        )
      )
    case _ => None
  }

  private def iceberg(batch: BatchScanExec): ScanReport = {
    val decided = Decision.of(batch).collect { case Declined(why, _) => why }
    def found = batch.logicalLink.flatMap(IcebergTables.whyNot(batch.scan, _))
    // Spark copies the scans of a join by groups, and forgets what they were planned from.
    def inGroups = when(batch.logicalLink.isEmpty && batch.keyGroupedPartitioning.nonEmpty)(
      Reasons.icebergPartitioning
    )
    dataSourceV2(batch, "iceberg", batch.scan.readSchema)
      .copy(declined = decided.orElse(found).orElse(inGroups).orElse(notInstalled))
  }

  /** Of a class that is not on the class path without Hive. */
  private val HiveScan = "org.apache.spark.sql.hive.execution.HiveTableScanExec"

  private def name(format: FileFormat): String = format match {
    case named: DataSourceRegister => named.shortName()
    case other                     => other.getClass.getSimpleName
  }

  /** The size of the files below a node, by Spark's listing; None without any. */
  def bytes(plan: SparkPlan): Option[Long] = {
    val sizes = PlanNodes.all(plan).collect { case scan: FileSourceScanExec => size(scan) }
    when(sizes.nonEmpty)(sizes.sum)
  }

  private def size(scan: FileSourceScanExec): Long = scan.relation.location.sizeInBytes

  private def outcomes(scan: LateScan): Seq[String] = {
    val keys = for (f <- scan.joinFilters; found <- f.outcome) yield s"${f.text}: $found"
    def told(counter: Counter, what: String) =
      Some(scan.metrics(counter.key).value).filter(_ > 0).map(n => f"$n%,d $what")
    val remembered = Seq(
      told(Counter.SPLITS_REMEMBERED, "files or splits"),
      told(Counter.ROWS_REMEMBERED, "rows")
    ).flatten
    val cached = when(remembered.nonEmpty)(
      s"left out, as an earlier query found: ${remembered.mkString(", ")}"
    )
    val indexed =
      told(Counter.SPLITS_INDEXED, "files or splits").map("left out by a skip index: " + _)
    val rows = Seq(
      told(Counter.FILES_EXCLUDED, "files excluded"),
      told(Counter.JOIN_ROWS_TESTED, "rows tested"),
      told(Counter.JOIN_ROWS_DROPPED, "rows dropped"),
      told(Counter.JOIN_KEYS_LATE, "windows read before the keys came"),
      told(Counter.JOIN_FILTERS_OFF, "windows not tested, because few rows would have been dropped")
    ).flatten
    (if (keys.isEmpty) Nil
     else keys ++ when(rows.nonEmpty)(rows.mkString(", "))) ++ indexed ++ cached ++ expected(scan)
  }

  private def planned(scan: LateScan): Option[Long] =
    scan.logicalLink.flatMap(_.collectFirst { case f: SizedFilter => f.size.rows })

  /** The rows that Spark planned with, beside those that came. */
  private def expected(scan: LateScan): Option[String] = for {
    rows <- planned(scan)
    came = scan.metrics("numOutputRows").value if came > 0
  } yield f"$came%,d rows; planned with $rows%,d"

  private val notInstalled = Some(Reasons.notInstalled)

  private def files(
      scan: FileSourceScanExec,
      format: String,
      declined: Option[Reason]
  ): ScanReport = ScanReport(
    node = scan.nodeName.trim,
    source = Source(
      scan.tableIdentifier
        .map(_.unquotedString)
        .getOrElse(scan.relation.location.rootPaths.mkString(", ")),
      format,
      Some(size(scan))
    ),
    declined = declined,
    filters = noFilters,
    residual = Decision.of(scan).toSeq.flatMap(_.residual),
    payload = scan.requiredSchema.fieldNames.toSeq
  )

  private def dataSourceV2(batch: BatchScanExec, format: String, read: StructType): ScanReport =
    ScanReport(
      node = batch.nodeName.trim,
      source = Source(batch.table.name, format, None),
      declined = Some(Reasons.dataSourceV2(format)),
      filters = noFilters,
      residual = Nil,
      payload = read.fieldNames.toSeq
    )
}
