// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.{InternalRow, TableIdentifier}
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, PartitionDirectory}
import org.apache.spark.sql.execution.{FileSourceScanExec, ScanFileListing}
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.BitSet

/** A base for nodes that extend Spark's file scan, whose parameters differ from line to line.
  *
  * @param scan
  *   the scan whose parameters the node takes
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

  /** The type of a scan's file listing. */
  final protected type Listing = ScanFileListing

  /** The files of a listing. */
  final protected def directories(listing: Listing): Seq[PartitionDirectory] =
    listing.filePartitionIterator.map(p => PartitionDirectory(p.values, p.files.toSeq)).toSeq

  /** A copy of this node with the parameters of `scan`. */
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

  /** The RDD that the node executes. It has exactly one partition if Spark has marked the scan for
    * a single task, since Spark may then omit an exchange above it.
    */
  final protected def executed: RDD[InternalRow] =
    if (!useSingleTaskExecution) inputRDD
    else if (inputRDD.getNumPartitions == 0) sparkContext.parallelize(Seq.empty[InternalRow], 1)
    else inputRDD.coalesce(1)
}
