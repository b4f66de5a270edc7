// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan}
import org.apache.spark.sql.types._

import latebloom.line.Compat.when
import latebloom.read.SplitAggregates
import latebloom.read.SplitAggregates.{Asked, Kind}

/** Counts and extremes of the rows of a scan, for each file split: in place of the first of Spark's
  * two aggregations, whose buffers it outputs. Of a row group all of whose rows pass, it takes them
  * from what the file says of it, and reads none of its rows.
  *
  * @param output
  *   the partition columns by which the rows are grouped, then a buffer for each aggregate
  */
final case class LateAggregateExec private[latebloom] (
    scan: LateScan,
    aggregation: Aggregation,
    override val output: Seq[Attribute]
) extends LeafExecNode {

  override lazy val metrics: Map[String, SQLMetric] = scan.metrics

  override def innerChildren: Seq[SparkPlan] = Seq(scan)

  override protected def doExecute(): RDD[InternalRow] = scan.aggregated(aggregation)

  override protected def doCanonicalize(): SparkPlan = LateAggregateExec(
    scan.canonicalized.asInstanceOf[LateScan],
    aggregation,
    output.map(_.canonicalized.asInstanceOf[Attribute])
  )

  override def stringArgs: Iterator[Any] = Iterator(output)
}

/** @param asked
  *   what is computed
  * @param groups
  *   ordinals of the partition columns by which it is grouped
  * @param partitions
  *   the table's partition columns
  */
final private[latebloom] case class Aggregation(
    asked: Seq[Asked],
    groups: Seq[Int],
    partitions: StructType
) {

  /** The aggregates of one split as a row of buffers. A group is there only if it has a row. */
  private[scan] def buffers(file: PartitionedFile, found: SplitAggregates): Option[InternalRow] =
    when(groups.isEmpty || found.rows > 0) {
      val grouped = groups.map(partitions(_).dataType)
      val keys = groups.map(g => file.partitionValues.get(g, partitions(g).dataType))
      val values = asked.zipWithIndex.map { case (a, i) =>
        if (!found.isKnown(i)) null
        else if (a.kind == Kind.COUNT) found.value(i)
        else Aggregation.catalyst(found.value(i), a.`type`)
      }
      val types = asked.map(a => if (a.kind == Kind.COUNT) LongType else a.`type`)
      UnsafeProjection.create((grouped ++ types).toArray)(InternalRow.fromSeq(keys ++ values))
    }
}

private[latebloom] object Aggregation {

  /** Whether a long can hold the values, in their order. */
  def isCounted(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType            => true
    case DateType | TimestampType | TimestampNTZType              => true
    case d: DecimalType if d.precision <= Decimal.MAX_LONG_DIGITS => true
    case _                                                        => false
  }

  private def catalyst(value: Long, dataType: DataType): Any = dataType match {
    case ByteType               => value.toByte
    case ShortType              => value.toShort
    case IntegerType | DateType => value.toInt
    case d: DecimalType         => Decimal.createUnsafe(value, d.precision, d.scale)
    case _                      => value
  }
}
