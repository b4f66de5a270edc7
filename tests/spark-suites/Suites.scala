// SPDX-License-Identifier: Apache-2.0

package latebloom.suites

/** Spark's suites that read Parquet and ORC, as files and as a DataSource V2, its suites of joins
  * and subqueries, and some that run all kinds of queries.
  */
object Suites extends SuiteList {
  private val sql = "org.apache.spark.sql"
  private val parquet = s"$sql.execution.datasources.parquet"
  private val orc = s"$sql.execution.datasources.orc"
  private val joins = s"$sql.execution.joins"

  protected val classes: Seq[String] = Seq(
    s"$parquet.ParquetV1QuerySuite",
    s"$parquet.ParquetV1FilterSuite",
    s"$parquet.ParquetV1SchemaPruningSuite",
    s"$parquet.ParquetV1PartitionDiscoverySuite",
    s"$parquet.ParquetIOSuite",
    s"$parquet.ParquetInteroperabilitySuite",
    s"$parquet.ParquetRebaseDatetimeV1Suite",
    s"$parquet.ParquetColumnIndexSuite",
    s"$parquet.ParquetFieldIdIOSuite",
    s"$parquet.ParquetTypeWideningSuite",
    s"$orc.OrcV1QuerySuite",
    s"$orc.OrcV1FilterSuite",
    s"$orc.OrcV1SchemaPruningSuite",
    s"$orc.OrcV1PartitionDiscoverySuite",
    s"$orc.OrcSourceV1Suite",
    s"$orc.OrcColumnarBatchReaderSuite",
    s"$sql.FileBasedDataSourceSuite",
    s"$sql.execution.datasources.FileMetadataStructSuite",
    s"$sql.execution.datasources.FileSourceStrategySuite",
    s"$sql.DynamicPartitionPruningV1SuiteAEOn",
    s"$sql.DynamicPartitionPruningV1SuiteAEOff",
    s"$sql.InjectRuntimeFilterSuite",
    s"$sql.JoinSuite",
    s"$joins.InnerJoinSuite",
    s"$joins.OuterJoinSuite",
    s"$joins.ExistenceJoinSuite",
    s"$joins.BroadcastJoinSuite",
    s"$joins.BroadcastJoinSuiteAE",
    s"$sql.execution.adaptive.AdaptiveQueryExecSuite",
    s"$parquet.ParquetEncodingSuite",
    s"$sql.DataFrameSuite",
    s"$sql.ColumnExpressionSuite",
    s"$sql.DatasetSuite",
    s"$sql.CachedTableSuite",
    s"$sql.SubquerySuite",
    s"$sql.SQLQueryTestSuite",
    s"$sql.sources.BucketedReadWithoutHiveSupportSuite",
    s"$sql.sources.DisableUnnecessaryBucketedScanWithoutHiveSupportSuite",
    s"$parquet.ParquetVariantShreddingSuite",
    s"$parquet.ParquetV2QuerySuite",
    s"$parquet.ParquetV2PartitionDiscoverySuite",
    s"$parquet.ParquetRebaseDatetimeV2Suite",
    s"$orc.OrcV2QuerySuite",
    s"$orc.OrcPartitionDiscoverySuite",
    s"$orc.OrcSourceV2Suite",
    s"$sql.execution.datasources.ParquetV2AggregatePushDownSuite",
    s"$sql.execution.datasources.OrcV2AggregatePushDownSuite",
    s"$sql.MetadataCacheV2Suite",
    s"$sql.connector.FileDataSourceV2FallBackSuite",
    s"$sql.collation.CollatedFilterPushDownToParquetV1Suite"
  )

  /** Needs generated data and answers: see `dev/spark-suites --tpcds`. */
  private val tpcds = s"$sql.TPCDSQueryTestSuite"

  override protected val others: Seq[String] = Seq(tpcds)

  /** The suites of CI, fast ones: filtered reads of all kinds, and plans that other rules of Spark
    * inspect.
    */
  val ci: Seq[String] = Seq("ParquetV1QuerySuite", "DynamicPartitionPruningV1SuiteAEOn")
}
