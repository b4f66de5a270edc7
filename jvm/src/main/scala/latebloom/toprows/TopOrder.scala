// SPDX-License-Identifier: Apache-2.0
package latebloom.toprows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

import latebloom.compile.ColumnPredicates

/** The first part of an order, a column of one scan.
  *
  * @param isWhole
  *   whether the order has no other part, so that rows with equal values may stand in any order
  * @param id
  *   of the one search for the first rows, unique
  */
final private[latebloom] case class TopOrder(
    direction: SortDirection,
    nulls: NullOrdering,
    isWhole: Boolean,
    id: String
) {

  /** The order of single values: what comes first is less. */
  def values(dataType: DataType): Ordering[Any] = {
    val value = BoundReference(0, dataType, nullable = true)
    new InterpretedOrdering(Seq(SortOrder(value, direction, nulls, Nil)))
      .on(InternalRow(_))
  }

  /** The condition that a row comes before a bound, or may stand at it; None if each row does. */
  def condition(column: Expression, bound: TopBound): Option[Expression] = {
    val nullsFirst = nulls == NullsFirst
    val least = Literal(bound.value, column.dataType)
    if (bound.value == null) {
      if (nullsFirst) Some(IsNull(column))
      else if (bound.isStrict) Some(IsNotNull(column))
      else None
    } else {
      val compared = (direction, bound.isStrict) match {
        case (Ascending, false)  => LessThanOrEqual(column, least)
        case (Ascending, true)   => LessThan(column, least)
        case (Descending, false) => GreaterThanOrEqual(column, least)
        case (Descending, true)  => GreaterThan(column, least)
      }
      Some(if (nullsFirst && column.nullable) Or(IsNull(column), compared) else compared)
    }
  }
}

private[latebloom] object TopOrder {

  /** Whether values of a column can be compared with a bound where they are decoded. */
  def isComparable(column: Attribute): Boolean =
    ColumnPredicates.compile(IsNotNull(column), column).isDefined &&
      ColumnPredicates
        .compile(GreaterThanOrEqual(column, Literal.default(column.dataType)), column)
        .isDefined
}

/** The worst of the first rows found so far: no row after it is among the first.
  *
  * @param value
  *   of the column that the order begins with, as Catalyst holds it
  * @param isStrict
  *   whether rows that are equal to it are not needed either
  */
final private[latebloom] case class TopBound(value: Any, isStrict: Boolean) extends Serializable
