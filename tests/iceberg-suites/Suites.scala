// SPDX-License-Identifier: Apache-2.0

package latebloom.suites.iceberg

import latebloom.suites.SuiteList

/** Iceberg's tests that read tables through Spark, change their rows, or look at plans. */
object Suites extends SuiteList {
  private val spark = "org.apache.iceberg.spark"
  private val source = s"$spark.source"
  private val sql = s"$spark.sql"
  private val extensions = s"$spark.extensions"
  private val actions = s"$spark.actions"
  private val variant = s"$spark.variant"

  protected val classes: Seq[String] = Seq(
    s"$source.TestAvroScan",
    s"$source.TestFilteredScan",
    s"$source.TestParquetScan",
    s"$source.TestParquetVectorizedScan",
    s"$source.TestPartitionPruning",
    s"$source.TestPartitionValues",
    s"$source.TestIdentityPartitionData",
    s"$source.TestSparkReadProjection",
    s"$source.TestSparkReaderDeletes",
    s"$source.TestSparkReaderWithBloomFilter",
    s"$source.TestRuntimeFiltering",
    s"$source.TestSnapshotSelection",
    s"$source.TestSparkMetadataColumns",
    s"$source.TestSparkReadMetrics",
    s"$source.TestTimestampWithoutZone",
    s"$source.TestIcebergSourceHadoopTables",
    s"$source.TestIcebergSourceHiveTables",
    s"$source.TestDataSourceOptions",
    s"$source.TestSparkStagedScan",
    s"$source.TestForwardCompatibility",
    s"$source.TestPositionDeletesTable",
    s"$source.TestParquetDataFrameWrite",
    s"$source.TestORCDataFrameWrite",
    s"$source.TestSparkAggregates",
    s"$source.TestStructuredStreaming",
    s"$source.TestSparkScan",
    s"$source.TestSparkDataWrite",
    s"$source.TestWriteMetricsConfig",
    s"$source.TestMetadataTablesWithPartitionEvolution",
    s"$source.TestMetadataTableReadableMetrics",
    s"$source.TestIcebergSpark",
    s"$sql.TestSelect",
    s"$sql.TestFilterPushDown",
    s"$sql.TestAggregatePushDown",
    s"$sql.TestSparkDefaultValues",
    s"$sql.TestSparkVariantRead",
    s"$sql.TestStoragePartitionedJoins",
    s"$sql.TestDeleteFrom",
    s"$sql.TestCreateTableAsSelect",
    s"$sql.TestPartitionedWrites",
    s"$sql.TestPartitionedWritesAsSelect",
    s"$sql.TestPartitionedWritesToBranch",
    s"$sql.TestUnpartitionedWrites",
    s"$sql.TestRefreshTable",
    s"$sql.TestAlterTable",
    s"$sql.TestTableEncryption",
    s"$sql.TestCTASEncryption",
    s"$extensions.TestCopyOnWriteDelete",
    s"$extensions.TestCopyOnWriteMerge",
    s"$extensions.TestCopyOnWriteUpdate",
    s"$extensions.TestMergeOnReadDelete",
    s"$extensions.TestMergeOnReadMerge",
    s"$extensions.TestMergeOnReadUpdate",
    s"$extensions.TestCopyOnWriteWithLineage",
    s"$extensions.TestMergeOnReadWithLineage",
    s"$extensions.TestStoragePartitionedJoinsInRowLevelOperations",
    s"$extensions.TestSystemFunctionPushDownDQL",
    s"$extensions.TestSystemFunctionPushDownInRowLevelOperations",
    s"$extensions.TestChangelogTable",
    s"$extensions.TestCreateChangelogViewProcedure",
    s"$extensions.TestMetaColumnProjectionWithStageScan",
    s"$extensions.TestMetadataTables",
    s"$extensions.TestViews",
    s"$extensions.TestRepeatedTableAccess",
    s"$extensions.TestCachedTableRefresh",
    s"$extensions.TestTempViewRefresh",
    s"$extensions.TestIncrementallyConstructedQueries",
    s"$extensions.TestConflictValidation",
    s"$extensions.TestMergeSchemaEvolution",
    s"$extensions.TestAlterTableSchema",
    s"$extensions.TestAlterTablePartitionFields",
    s"$extensions.TestRewriteDataFilesProcedure",
    s"$extensions.TestRewritePositionDeleteFiles",
    s"$extensions.TestAddFilesProcedure",
    s"$extensions.TestCopyOnWriteMergeMetrics",
    s"$extensions.TestMergeOnReadMergeMetrics",
    s"$extensions.TestBranchDDL",
    s"$extensions.TestTagDDL",
    s"$extensions.TestReplaceBranch",
    s"$actions.TestRewriteDataFilesAction",
    s"$actions.TestRewritePositionDeleteFilesAction",
    s"$variant.TestVariantShredding"
  )

  /** None: they take too long. */
  val ci: Seq[String] = Nil
}
