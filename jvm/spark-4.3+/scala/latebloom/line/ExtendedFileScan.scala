// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.{InternalRow, TableIdentifier}
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.{FileSourceScanExec, ScanFileListing}
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.BitSet

/** Spark's scan of files, to be extended: with the parameters that it has in this line.
  *
  * @param scan
  *   what they are
  */
abstract private[latebloom] class ExtendedFileScan(scan: FileSourceScanExec)
    extends FileSourceScanExec(
      scan.relation,
      scan.stream,
      scan.output,
      scan.requiredSchema,
      scan.partitionFilters,
      scan.optionalBucketSet,
      scan.optionalNumCoalescedBuckets,
      scan.dataFilters,
      scan.tableIdentifier,
      scan.disableBucketedScan,
      scan.markedForSingleTaskExecution
    ) {

  /** The files that a scan reads. */
  final protected type Listing = ScanFileListing

  /** This node, but with the parameters of `scan`. */
  protected def of(scan: FileSourceScanExec): FileSourceScanExec

  /** Spark's own scan with the parameters of this one. */
  final protected def plain: FileSourceScanExec = super.copy()

  final override def copy(
      relation: HadoopFsRelation,
      stream: Option[SparkDataStream],
      output: Seq[Attribute],
      requiredSchema: StructType,
      partitionFilters: Seq[Expression],
      optionalBucketSet: Option[BitSet],
      optionalNumCoalescedBuckets: Option[Int],
      dataFilters: Seq[Expression],
      tableIdentifier: Option[TableIdentifier],
      disableBucketedScan: Boolean,
      markedForSingleTaskExecution: Boolean
  ): FileSourceScanExec = of(
    super.copy(
      relation,
      stream,
      output,
      requiredSchema,
      partitionFilters,
      optionalBucketSet,
      optionalNumCoalescedBuckets,
      dataFilters,
      tableIdentifier,
      disableBucketedScan,
      markedForSingleTaskExecution
    )
  )

  /** What is executed: where Spark has taken the scan for one task, so that it may spare an
    * exchange, its rows are in exactly one partition.
    */
  final protected def executed: RDD[InternalRow] =
    if (!useSingleTaskExecution) inputRDD
    else if (inputRDD.getNumPartitions == 0) sparkContext.parallelize(Seq.empty[InternalRow], 1)
    else inputRDD.coalesce(1)
}
