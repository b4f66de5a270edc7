// SPDX-License-Identifier: Apache-2.0
package latebloom.toprows

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  Descending,
  Expression,
  NullsFirst
}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.latebloom.{KeysToPush, PushedKeys}
import org.apache.spark.sql.sources
import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.unsafe.types.UTF8String

import latebloom.compile.{ColumnPredicates, KeyPredicate}
import latebloom.joinkeys.JoinKeysToPush
import latebloom.line.Compat.when
import latebloom.read.ScanFilter
import latebloom.read.predicate.ColumnPredicate

/** Tests whether a row of a scan comes before the bound of a search, or may stand at it. */
final private[latebloom] class BoundPredicate(search: WithinBound, of: Attribute, order: TopOrder)
    extends KeyPredicate {
  private val bound = new BoundInTask(of, order)

  override def text: String = search.text

  override def column: Option[Attribute] = Some(of)

  override def source: ScanFilter.KeySource = bound

  override def condition: Expression = search

  def isDescending: Boolean = order.direction == Descending

  def isNullsFirst: Boolean = order.nulls == NullsFirst

  /** The bound for comparison with statistics. */
  def pushed: KeysToPush = new BoundToPush(quoteIfNeeded(of.name), of.nullable, bound)
}

private[latebloom] object BoundPredicate {

  /** The predicate of a search on the columns of a scan; None if no row is left out. */
  def of(search: WithinBound): Option[BoundPredicate] = (search.column, search.order) match {
    case (column: Attribute, Some(order)) => Some(new BoundPredicate(search, column, order))
    case _                                => None
  }
}

/** Gives a scan in a task the bound of a search. */
final private class BoundInTask(column: Attribute, val order: TopOrder)
    extends ScanFilter.KeySource {

  @transient private lazy val shared = SharedBounds.of(order, column.dataType)
  @transient private var last: Option[(TopBound, ColumnPredicate)] = _

  def dataType: DataType = column.dataType

  /** The bound, if there is one by now. */
  def now: Option[TopBound] = shared.now(Option(TaskContext.get()).map(_.taskAttemptId()))

  private def compiled(bound: TopBound): Option[ColumnPredicate] =
    order.condition(column, bound).flatMap(ColumnPredicates.compile(_, column))

  /** The predicate of the current bound: the same as long as the bound is. */
  private def current: Option[ColumnPredicate] = {
    val bound = now
    val before = Option(last).flatten
    val latest =
      if (before.map(_._1) == bound) before
      else (for (b <- bound; p <- compiled(b)) yield b -> p).orElse(before)
    last = latest
    latest.map(_._2)
  }

  override def isKnown: Boolean = current.isDefined

  override def predicate: ColumnPredicate = current.get
}

/** The bound of a search as a condition for statistics.
  *
  * @param name
  *   of the column, quoted
  */
final private class BoundToPush(name: String, nullable: Boolean, bound: BoundInTask)
    extends KeysToPush {

  override def now: Option[PushedKeys] =
    for {
      known <- bound.now
      value <- BoundToPush.value(known.value, bound.dataType)
    } yield PushedKeys(Seq(condition(value, known.isStrict)), None, bound)

  private def condition(value: Any, isStrict: Boolean): sources.Filter = {
    val compared = (bound.order.direction == Ascending, isStrict) match {
      case (true, false)  => sources.LessThanOrEqual(name, value)
      case (true, true)   => sources.LessThan(name, value)
      case (false, false) => sources.GreaterThanOrEqual(name, value)
      case (false, true)  => sources.GreaterThan(name, value)
    }
    if (bound.order.nulls == NullsFirst && nullable) sources.Or(sources.IsNull(name), compared)
    else compared
  }
}

private object BoundToPush {

  /** A value of Catalyst as statistics can be compared with it: none of floating-point numbers,
    * among which NaN is the greatest, and in statistics is not.
    */
  def value(value: Any, dataType: DataType): Option[Any] = value match {
    case n: Byte    => JoinKeysToPush.value(dataType, Some(n.toLong), None)
    case n: Short   => JoinKeysToPush.value(dataType, Some(n.toLong), None)
    case n: Int     => JoinKeysToPush.value(dataType, Some(n.toLong), None)
    case n: Long    => JoinKeysToPush.value(dataType, Some(n), None)
    case d: Decimal =>
      when(d.precision <= Decimal.MAX_LONG_DIGITS)(d.toUnscaledLong)
        .flatMap(n => JoinKeysToPush.value(dataType, Some(n), None))
    case s: UTF8String => JoinKeysToPush.value(dataType, None, Some(s.getBytes))
    case _             => None
  }
}
