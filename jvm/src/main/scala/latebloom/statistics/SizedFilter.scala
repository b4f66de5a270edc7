// SPDX-License-Identifier: Apache-2.0
package latebloom.statistics

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Statistics}
import org.apache.spark.sql.types.{BinaryType, StringType}

/** A Filter over files in which a scan has counted the rows that meet the condition.
  *
  * It is a Filter to all of Spark, but for its statistics. These only ever become smaller than
  * Spark's own, which take the size of the files for that of the rows that are left: what Spark
  * would broadcast, it broadcasts.
  *
  * @param size
  *   what was counted for the condition, or for a part of it
  * @param bytes
  *   of so many rows, as they would be by the types of the output
  */
final private[latebloom] class SizedFilter(condition: Expression, child: LogicalPlan)(
    val size: ScanSize,
    val bytes: BigInt
) extends Filter(condition, child) {

  override def nodeName: String = "Filter"

  override def stats: Statistics = {
    val sparks = super.stats
    sparks.copy(
      sizeInBytes = sparks.sizeInBytes.min(bytes),
      rowCount = Some(sparks.rowCount.fold(BigInt(size.rows))(_.min(size.rows)))
    )
  }

  override protected def otherCopyArgs: Seq[AnyRef] = Seq(size, bytes)

  override protected def withNewChildInternal(newChild: LogicalPlan): Filter =
    new SizedFilter(condition, newChild)(size, bytes)

  /** Not equal to the Filter that it replaces, so that it does. */
  override def canEqual(other: Any): Boolean = other.isInstanceOf[SizedFilter]

  override def equals(other: Any): Boolean = other match {
    case that: SizedFilter => condition == that.condition && child == that.child
    case _                 => false
  }

  override def hashCode(): Int = (condition, child).##
}

private[latebloom] object SizedFilter {

  /** @param used
    *   the columns that the plan above uses
    */
  def apply(filter: Filter, used: Seq[Attribute], size: ScanSize): SizedFilter = {
    // Spark scales the bytes of a child by the widths of types.
    val byTypes = EstimationUtils.getSizePerRow(used)
    val wider = used.map(a => extra(a, size)).sum / byTypes.toDouble
    val rows = BigDecimal(size.rows) * BigDecimal(EstimationUtils.getSizePerRow(filter.output))
    new SizedFilter(filter.condition, filter.child)(
      size,
      (rows * (1 + wider)).toBigInt.max(1)
    )
  }

  /** A Filter by the part of a Filter's condition that decides its size, of the same size if known.
    */
  def of(filter: Filter, condition: Expression, child: LogicalPlan): Filter = filter match {
    case sized: SizedFilter => new SizedFilter(condition, child)(sized.size, sized.bytes)
    case _                  => Filter(condition, child)
  }

  /** Bytes of a value beyond those that its type is taken to have. */
  private def extra(column: Attribute, size: ScanSize): Double = column.dataType match {
    case text @ (_: StringType | BinaryType) =>
      size.widths.get(column.name).fold(0.0)(_ + Header - text.defaultSize)
    case _ => 0
  }

  /** Bytes of a row for a text beside those of the text. */
  private val Header = 12
}
