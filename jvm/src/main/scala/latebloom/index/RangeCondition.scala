// SPDX-License-Identifier: Apache-2.0
package latebloom.index

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BooleanType, DataType}

import latebloom.bloom.{KeyDomain, KeyFilter}
import latebloom.compile.JoinKeys
import latebloom.index.sidecar.RangeKeys
import latebloom.line.Compat._

/** What an index can be asked of a range of a file: whether one of its rows may meet a condition.
  */
sealed private[latebloom] trait RangeCondition {

  /** The columns that it is about, by [[IndexSource.field]]. */
  def fields: Seq[String]

  /** False only if the condition is true of no row.
    *
    * @param known
    *   what the index knows of a column in the range, if anything
    */
  def mayHold(known: String => Option[RangeKeys]): Boolean
}

private[latebloom] object RangeCondition {

  /** Any row may meet it. */
  case object Unknown extends RangeCondition {
    override def fields: Seq[String] = Nil
    override def mayHold(known: String => Option[RangeKeys]): Boolean = true
  }

  final private case class All(conditions: Seq[RangeCondition]) extends RangeCondition {
    override def fields: Seq[String] = conditions.flatMap(_.fields).distinct
    override def mayHold(known: String => Option[RangeKeys]): Boolean =
      conditions.forall(_.mayHold(known))
  }

  final private case class AnyOf(conditions: Seq[RangeCondition]) extends RangeCondition {
    override def fields: Seq[String] = conditions.flatMap(_.fields).distinct
    override def mayHold(known: String => Option[RangeKeys]): Boolean =
      conditions.exists(_.mayHold(known))
  }

  /** A question about one column. */
  final private case class Of(field: String, mayHave: RangeKeys => Boolean)
      extends RangeCondition {
    override def fields: Seq[String] = Seq(field)
    override def mayHold(known: String => Option[RangeKeys]): Boolean =
      known(field).forall(mayHave)
  }

  /** That all of some conditions hold; [[Unknown]] if nothing is to be asked. */
  def all(conditions: Seq[RangeCondition]): RangeCondition =
    conditions.filterNot(_ == Unknown) match {
      case Nil  => Unknown
      case some => All(some)
    }

  /** That a column has one of the keys of a join. */
  def among(field: String, keys: KeyFilter): RangeCondition = Of(field, _.mayHaveOneOf(keys))

  /** The condition, without what an index does not know.
    *
    * @param field
    *   of a column of files; None for any other attribute
    */
  def of(condition: Expression, field: Attribute => Option[String]): RangeCondition = {
    def about(a: Attribute)(mayHave: RangeKeys => Boolean): RangeCondition =
      field(a).filter(_ => JoinKeys.domain(a.dataType).nonEmpty)
        .fold[RangeCondition](Unknown)(Of(_, mayHave))
    condition match {
      case And(left, right) => all(Seq(of(left, field), of(right, field)))
      case Or(left, right)  =>
        val either = Seq(of(left, field), of(right, field))
        if (either.contains(Unknown)) Unknown else AnyOf(either)
      case IsNull(a: Attribute)                           => about(a)(_.mayHaveNull)
      case IsNotNull(a: Attribute)                        => about(a)(_.mayHaveValue)
      case EqualNullSafe(a: Attribute, Literal(null, _))  => about(a)(_.mayHaveNull)
      case EqualNullSafe(Literal(null, _), a: Attribute)  => about(a)(_.mayHaveNull)
      case a: Attribute if a.dataType == BooleanType      => about(a)(_.mayHaveBetween(1, 1))
      case Not(a: Attribute) if a.dataType == BooleanType => about(a)(_.mayHaveBetween(0, 0))
      case Compared(a, question)                          => about(a)(question)
      case _                                              => Unknown
    }
  }

  /** A comparison of a column with values of its type, none of which is null. */
  private object Compared {
    def unapply(e: Expression): Option[(Attribute, RangeKeys => Boolean)] = e match {
      case EqualTo(a: Attribute, l: Literal)                              => one(a, l)(equal)
      case EqualTo(l: Literal, a: Attribute)                              => one(a, l)(equal)
      case EqualNullSafe(a: Attribute, l: Literal)                        => one(a, l)(equal)
      case EqualNullSafe(l: Literal, a: Attribute)                        => one(a, l)(equal)
      case LessThan(a: Attribute, l: Literal)                             => one(a, l)(less)
      case GreaterThan(l: Literal, a: Attribute)                          => one(a, l)(less)
      case LessThanOrEqual(a: Attribute, l: Literal)                      => one(a, l)(atMost)
      case GreaterThanOrEqual(l: Literal, a: Attribute)                   => one(a, l)(atMost)
      case GreaterThan(a: Attribute, l: Literal)                          => one(a, l)(greater)
      case LessThan(l: Literal, a: Attribute)                             => one(a, l)(greater)
      case GreaterThanOrEqual(a: Attribute, l: Literal)                   => one(a, l)(atLeast)
      case LessThanOrEqual(l: Literal, a: Attribute)                      => one(a, l)(atLeast)
      case In(a: Attribute, list) if list.forall(isOfType(_, a.dataType)) =>
        among(a, list.map(_.asInstanceOf[Literal].value))
      case InSet(a: Attribute, list) => among(a, list.toSeq)
      case _                         => None
    }

    private def isOfType(e: Expression, dataType: DataType) = e match {
      case l: Literal => l.dataType == dataType
      case _          => false
    }

    /** A row is among listed values if it equals one that is not null. */
    private def among(a: Attribute, values: Seq[Any]) =
      keys(a.dataType, values.filter(_ != null)).map(wanted =>
        (a, (known: RangeKeys) => known.mayHaveOneOf(wanted))
      )

    private def one(a: Attribute, literal: Literal)(question: KeyFilter => RangeKeys => Boolean) =
      for {
        _ <- when(literal.value != null && literal.dataType == a.dataType)(())
        key <- keys(a.dataType, Seq(literal.value))
      } yield (a, question(key))

    private def keys(dataType: DataType, values: Seq[Any]): Option[KeyFilter] =
      JoinKeys.domain(dataType)
        .flatMap(_ => JoinKeys.collect(values.iterator.map(v => InternalRow(v)), dataType))
        .filter(_.exact)

    private def equal(key: KeyFilter): RangeKeys => Boolean = _.mayHaveOneOf(key)

    private def less(key: KeyFilter) = number(key) match {
      case Some(Long.MinValue) => (_: RangeKeys) => false
      case Some(k)             => (known: RangeKeys) => known.mayHaveBetween(Long.MinValue, k - 1)
      case None                => atMost(key)
    }

    private def greater(key: KeyFilter) = number(key) match {
      case Some(Long.MaxValue) => (_: RangeKeys) => false
      case Some(k)             => (known: RangeKeys) => known.mayHaveBetween(k + 1, Long.MaxValue)
      case None                => atLeast(key)
    }

    private def atMost(key: KeyFilter): RangeKeys => Boolean = number(key) match {
      case Some(k) => _.mayHaveBetween(Long.MinValue, k)
      case None    => _.mayHaveBetween(null, bytes(key))
    }

    private def atLeast(key: KeyFilter): RangeKeys => Boolean = number(key) match {
      case Some(k) => _.mayHaveBetween(k, Long.MaxValue)
      case None    => _.mayHaveBetween(bytes(key), null)
    }

    /** The one key of the domain of longs. */
    private def number(key: KeyFilter): Option[Long] =
      when(key.domain == KeyDomain.LONGS)(key.min.getAsLong)

    private def bytes(key: KeyFilter): Array[Byte] =
      key.listed(1).get(0).asInstanceOf[Array[Byte]]
  }
}
