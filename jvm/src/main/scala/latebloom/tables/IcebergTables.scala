// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{
  CatalogStatistics,
  CatalogStorageFormat,
  CatalogTable,
  CatalogTableType
}
import org.apache.spark.sql.catalyst.expressions.{
  InputFileBlockLength,
  InputFileBlockStart,
  InputFileName,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.decision.{Reason, Reasons}
import latebloom.line.Compat._

/** Shows scans of Iceberg tables to the rules that follow as relations of files, which they know.
  * The rule runs when Spark and Iceberg have planned which files a query reads; what no rule
  * filters is planned as Iceberg's own scan again.
  */
object IcebergTables extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val settings = LateBloomConf.settings(conf)
    if (!settings.enabled || !settings.scanEnabled || !hasIceberg(plan) || namesFiles(plan)) plan
    else {
      val session = SparkSession.active
      val isRead = Targets.reads(plan)
      GroupedScans.used(plan, conf).foreach(_.setTagValue(readInGroups, ()))
      plan.transformWithSubqueries {
        case f @ Filter(condition, v2: DataSourceV2ScanRelation)
            if isIceberg(v2.scan) && isRead(v2) && IcebergMetadata.hasLineage(v2) =>
          planned(v2).fold(
            _ => f,
            files => {
              val conditions = splitConjunctivePredicates(condition)
              files.metadata.over(relation(v2, files, session), conditions)
            }
          )
        case v2: DataSourceV2ScanRelation if isIceberg(v2.scan) && isRead(v2) =>
          planned(v2).fold(
            _ => v2,
            files => files.metadata.over(relation(v2, files, session), Nil)
          )
      }
    }
  }

  private def hasIceberg(plan: LogicalPlan) = plan.collectWithSubqueries {
    case v2: DataSourceV2ScanRelation if isIceberg(v2.scan) => v2
  }.nonEmpty

  /** Spark and Iceberg name the file of a row differently. */
  private def namesFiles(plan: LogicalPlan) = plan.collectWithSubqueries {
    case node if node.expressions.exists(_.exists {
          case _: InputFileName | _: InputFileBlockStart | _: InputFileBlockLength => true
          case _                                                                   => false
        }) => node
  }.nonEmpty

  private val Source = "org.apache.iceberg.spark.source."

  def isIceberg(scan: Scan): Boolean = scan.getClass.getName.startsWith(Source)

  /** On a scan whose groups of rows may be of use to the plan. */
  private val readInGroups = TreeNodeTag[Unit]("latebloom.readInGroups")

  /** Scans of one or several snapshots, whose tasks are data files. */
  private val Scans = Set("SparkBatchQueryScan", "SparkIncrementalAppendScan")

  /** The releases that were compared with this adapter, without their last number. */
  private val Lines = Set("1.11")

  /** Read options that say how Iceberg divides files among tasks. */
  private val Splitting = Set("split-size", "lookback", "file-open-cost")

  /** The reader of files that is known to open a path as Hadoop does. */
  private val HadoopIO = "org.apache.iceberg.hadoop.HadoopFileIO"

  /** Why a scan of a plan stays Iceberg's, whatever its filters are. */
  def whyNot(scan: Scan, plan: LogicalPlan): Option[Reason] =
    plan.collectFirst { case v2: DataSourceV2ScanRelation if v2.scan eq scan => v2 }
      .map(planned(_).swap.getOrElse(Reasons.icebergFileNames))

  private def planned(v2: DataSourceV2ScanRelation): Either[Reason, IcebergFiles] = {
    val scan = v2.scan
    def isOf(any: AnyRef, names: Set[String]) =
      names.exists(n => any.getClass.getName == Source + n)
    for {
      _ <- Either.cond(
        isOf(v2.relation.table, Set("SparkTable")) && isOf(scan, Scans),
        (),
        Reasons.icebergScan(scan.getClass.getSimpleName)
      )
      iceberg <- known(scan)
      split = Splitting.filter(v2.relation.options.containsKey)
      _ <- Either.cond(split.isEmpty, (), Reasons.icebergOptions(split.toSeq.sorted))
      io = iceberg.fileIO(scan)
      _ <- Either.cond(io == HadoopIO, (), Reasons.icebergStore(s"files are opened by $io"))
      _ <- Either.cond(!iceberg.isEncrypted(scan), (), Reasons.icebergStore("it is encrypted"))
      _ <- Either.cond(
        v2.getTagValue(readInGroups).isEmpty && v2.ordering.isEmpty,
        (),
        Reasons.icebergPartitioning
      )
      names = scan.readSchema.fieldNames.groupBy(n =>
        if (conf.caseSensitiveAnalysis) n else n.toLowerCase(Locale.ROOT)
      )
      _ <- names.values.find(_.length > 1).map(same => Reasons.icebergColumn(same.head)).toLeft(())
      columns <- IcebergColumns.of(scan.readSchema, iceberg.columns(scan), iceberg)
        .left.map(Reasons.icebergColumn(_))
      found = new IcebergFiles(v2, columns, iceberg)
      _ <- found.unknown.map(Reasons.icebergColumn(_)).toLeft(())
      _ <- Either.cond(found.hasOurs, (), Reasons.icebergFiles)
    } yield found
  }

  private def known(scan: Scan): Either[Reason, IcebergClasses] =
    try {
      val iceberg = IcebergClasses.beside(scan.getClass)
      val line = iceberg.version.split('.').take(2).mkString(".")
      Either.cond(Lines(line), iceberg, Reasons.icebergNotKnown(s"version ${iceberg.version}"))
    } catch {
      case e @ (_: ReflectiveOperationException | _: LinkageError | _: RuntimeException) =>
        val causes = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null)
        Left(Reasons.icebergNotKnown(causes.mkString(", because of ")))
    }

  private def relation(
      v2: DataSourceV2ScanRelation,
      files: IcebergFiles,
      session: SparkSession
  ): LogicalPlan = {
    val catalog = v2.relation.catalog.map(_.name)
    val ofCatalog = catalog.toSeq.flatMap { name =>
      val prefix = s"spark.sql.catalog.$name.hadoop."
      conf.getAllConfs.collect { case (k, v) if k.startsWith(prefix) => k.drop(prefix.length) -> v }
    }
    val stats = v2.stats
    val name = v2.relation.identifier.fold(TableIdentifier(v2.relation.table.name)) { id =>
      TableIdentifier(id.name, when(id.namespace.nonEmpty)(id.namespace.mkString(".")), catalog)
    }
    val table = CatalogTable(
      identifier = name,
      tableType = CatalogTableType.EXTERNAL,
      storage = CatalogStorageFormat.empty,
      schema = v2.schema,
      provider = Some("iceberg"),
      stats = Some(CatalogStatistics(stats.sizeInBytes, stats.rowCount))
    )
    val of = HadoopFsRelation(
      files,
      files.partitionSchema,
      files.dataSchema,
      None,
      new IcebergFormat(files).own,
      ofCatalog.toMap ++ Options
    )(session)
    LogicalRelation(of).copy(output = files.metadata.output, catalogTable = Some(table))
  }

  /** Iceberg finds columns by ids, has no dates of the old calendar, and reads all files or fails.
    */
  private val Options = Map(
    "ignoreMissingFiles" -> "false",
    "ignoreCorruptFiles" -> "false",
    SQLConf.PARQUET_FIELD_ID_READ_ENABLED.key -> "true",
    SQLConf.IGNORE_MISSING_PARQUET_FIELD_ID.key -> "false",
    "datetimeRebaseMode" -> "CORRECTED",
    "int96RebaseMode" -> "CORRECTED"
  )
}
