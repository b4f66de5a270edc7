// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.orc.OrcTable
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetTable
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, FileTable}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.line.Compat._

/** Lets Spark read Parquet and ORC files of its DataSource V2 as its V1 sources do, so that their
  * scans are taken, and their joins and orders, like any other.
  *
  * Both read the same files with the same reader: the table's own file index lists them, and names
  * the V1 format that Spark itself falls back to when it inserts into such a table. Spark has
  * pushed nothing down when the rule runs. Tables on which Spark would compute aggregates from
  * footers itself, which only its V2 does, stay as they are.
  */
object FileTables extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val settings = LateBloomConf.settings(conf)
    if (!settings.enabled || !settings.scanEnabled) plan
    else {
      val isRead = Targets.reads(plan)
      plan.transform { case v2: DataSourceV2Relation if isRead(v2) => asV1(v2).getOrElse(v2) }
    }
  }

  private def asV1(v2: DataSourceV2Relation): Option[LogicalPlan] = v2.table match {
    case t: ParquetTable if !conf.parquetAggregatePushDown =>
      withColumnsOf(v2, files(t, v2)(t.sparkSession))
    case t: OrcTable if !conf.orcAggregatePushDown =>
      withColumnsOf(v2, files(t, v2)(t.sparkSession))
    case _ => None
  }

  private def files(table: FileTable, v2: DataSourceV2Relation) = HadoopFsRelation.apply(
    table.fileIndex,
    table.fileIndex.partitionSchema,
    table.dataSchema,
    None,
    table.fallbackFileFormat.getDeclaredConstructor().newInstance(),
    // As Spark's own scan merges them.
    (table.properties.asScala ++ v2.options.asCaseSensitiveMap.asScala).toMap
  ) _

  /** The files with the columns of the relation, in its order, which has all those of partitions at
    * the end; that of files leaves one where the files have it. None if it has not the same.
    */
  private def withColumnsOf(
      v2: DataSourceV2Relation,
      files: HadoopFsRelation
  ): Option[LogicalPlan] = {
    val columns = files.schema.flatMap { f =>
      v2.output.find(a => a.name == f.name && a.dataType == f.dataType)
    }
    when(columns.size == files.schema.size && columns.toSet == v2.output.toSet) {
      val relation = LogicalRelation(files).copy(output = columns)
      if (columns == v2.output) relation else Project(v2.output, relation)
    }
  }
}
