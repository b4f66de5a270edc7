// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.{InternalRow, TableIdentifier}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FileFormat, HadoopFsRelation, PartitionDirectory}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.BitSet

import latebloom.joinkeys.JoinFilter
import latebloom.read.ScanSpec

/** Spark's scan of files as this line has it, to be extended: with all that depends on what it is
  * made of.
  */
abstract private[scan] class ExtendedFileScan(scan: FileSourceScanExec)
    extends FileSourceScanExec(
      scan.relation,
      scan.output,
      scan.requiredSchema,
      scan.partitionFilters,
      scan.optionalBucketSet,
      scan.optionalNumCoalescedBuckets,
      scan.dataFilters,
      scan.tableIdentifier,
      scan.disableBucketedScan
    ) {
  outer =>

  /** This node, but with what `scan` is made of. */
  protected def of(scan: FileSourceScanExec): FileSourceScanExec

  final override def copy(
      relation: HadoopFsRelation,
      output: Seq[Attribute],
      requiredSchema: StructType,
      partitionFilters: Seq[Expression],
      optionalBucketSet: Option[BitSet],
      optionalNumCoalescedBuckets: Option[Int],
      dataFilters: Seq[Expression],
      tableIdentifier: Option[TableIdentifier],
      disableBucketedScan: Boolean
  ): FileSourceScanExec = of(
    FileSourceScanExec(
      relation,
      output,
      requiredSchema,
      partitionFilters,
      optionalBucketSet,
      optionalNumCoalescedBuckets,
      dataFilters,
      tableIdentifier,
      disableBucketedScan
    )
  )

  /** What is executed. */
  final protected def executed: RDD[InternalRow] = inputRDD

  /** Spark's scan of the same files, read as this format: listed, pruned and split once for both.
    */
  final protected def innerScan(format: FileFormat): FileSourceScanExec =
    new FileSourceScanExec(
      relation.copy(fileFormat = format)(relation.sparkSession),
      output,
      requiredSchema,
      partitionFilters,
      optionalBucketSet,
      optionalNumCoalescedBuckets,
      dataFilters,
      tableIdentifier,
      disableBucketedScan
    ) {
      override lazy val driverMetrics: Map[String, SQLMetric] = outer.driverMetrics
      override def metrics: Map[String, SQLMetric] = outer.metrics
      @transient override lazy val selectedPartitions: Array[PartitionDirectory] =
        outer.selectedPartitions
      @transient override protected lazy val dynamicallySelectedPartitions
          : Array[PartitionDirectory] =
        outer.dynamicallySelectedPartitions
    }
}

/** The node itself: a plan's nodes are copied by calling the constructor with the elements of the
  * product, of which Spark's own differ from line to line.
  */
final class LateScanExec(
    relation: HadoopFsRelation,
    output: Seq[Attribute],
    requiredSchema: StructType,
    partitionFilters: Seq[Expression],
    optionalBucketSet: Option[BitSet],
    optionalNumCoalescedBuckets: Option[Int],
    dataFilters: Seq[Expression],
    tableIdentifier: Option[TableIdentifier],
    disableBucketedScan: Boolean,
    scanFilters: Seq[Expression],
    joinFilters: Seq[JoinFilter],
    filterOnly: Seq[Attribute],
    lookups: Seq[Expression],
    options: ScanSpec.Options
) extends LateScan(
      FileSourceScanExec(
        relation,
        output,
        requiredSchema,
        partitionFilters,
        optionalBucketSet,
        optionalNumCoalescedBuckets,
        dataFilters,
        tableIdentifier,
        disableBucketedScan
      ),
      scanFilters,
      joinFilters,
      filterOnly,
      lookups,
      options
    )

private[latebloom] object LateScanExec {

  /** @param scan
    *   what it has of Spark's own
    */
  def apply(
      scan: FileSourceScanExec,
      scanFilters: Seq[Expression],
      joinFilters: Seq[JoinFilter],
      filterOnly: Seq[Attribute],
      lookups: Seq[Expression],
      options: ScanSpec.Options
  ): LateScan = new LateScanExec(
    scan.relation,
    scan.output,
    scan.requiredSchema,
    scan.partitionFilters,
    scan.optionalBucketSet,
    scan.optionalNumCoalescedBuckets,
    scan.dataFilters,
    scan.tableIdentifier,
    scan.disableBucketedScan,
    scanFilters,
    joinFilters,
    filterOnly,
    lookups,
    options
  )
}
