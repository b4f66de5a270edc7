// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.{InternalRow, TableIdentifier}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, PartitionDirectory}
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
      scan.output,
      scan.requiredSchema,
      scan.partitionFilters,
      scan.optionalBucketSet,
      scan.optionalNumCoalescedBuckets,
      scan.dataFilters,
      scan.tableIdentifier,
      scan.disableBucketedScan
    ) {

  /** The type of a scan's file listing. */
  final protected type Listing = Array[PartitionDirectory]

  /** The files of a listing. */
  final protected def directories(listing: Listing): Seq[PartitionDirectory] = listing.toSeq

  /** A copy of this node with the parameters of `scan`. */
  protected def of(scan: FileSourceScanExec): FileSourceScanExec

  /** Spark's own scan with the parameters of this one. */
  final protected def plain: FileSourceScanExec = super.copy()

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
    super.copy(
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

  /** The RDD that the node executes. */
  final protected def executed: RDD[InternalRow] = inputRDD
}
