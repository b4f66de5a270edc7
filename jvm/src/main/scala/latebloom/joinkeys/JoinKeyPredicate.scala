// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import java.time.LocalDate

import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Cast,
  Expression,
  KnownFloatingPointNormalized,
  KnownNotNull
}
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.catalyst.util.{DateTimeUtils, RebaseDateTime, quoteIfNeeded}
import org.apache.spark.sql.sources.{Filter, GreaterThanOrEqual, LessThanOrEqual}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import latebloom.bloom.KeyFilter
import latebloom.compile.KeyPredicate
import latebloom.line.Collations
import latebloom.line.Compat._
import latebloom.read.ScanFilter

/** A join filter whose keys are known. */
final private[latebloom] class JoinKeyPredicate(
    join: JoinFilter,
    keys: KeyFilter,
    shared: Broadcast[SharedKeys]
) extends KeyPredicate {

  override def text: String = join.text

  /** Whether the other side has no key at all. */
  def none: Boolean = keys.form == "empty"

  override def ofColumn: ScanFilter.JoinKeySource = new KeysInTask(shared)

  override def condition: Expression = join.copy(keys = SharedKeysExpression(shared))

  /** The key is the column, or made of it by a conversion that changes no key. */
  override lazy val column: Option[Attribute] = JoinKeyPredicate.column(join.key)

  /** Bounds on the column that statistics can be compared with. */
  def range: Seq[Filter] = column.toSeq.flatMap { attribute =>
    val name = quoteIfNeeded(attribute.name)
    bound(attribute.dataType, keys.min.toScala, keys.minBytes.toScala)
      .map(GreaterThanOrEqual(name, _)) ++
      bound(attribute.dataType, keys.max.toScala, keys.maxBytes.toScala)
        .map(LessThanOrEqual(name, _))
  }

  /** A key as a value of Spark's data sources; none where that is not the very key.
    *
    * Dates and times are values of `java.time`, whatever the query's own literals are: Spark's
    * filters of both formats take them. `java.sql.Date` and `Timestamp` have not got the days
    * 1582-10-05 to 1582-10-14, nor a day or an hour that a time zone left out. Files in the old
    * calendar hold dates before 1582-10-15, and times before the first year that all zones count in
    * whole offsets, in an order that is not theirs: such keys bound nothing.
    */
  private def bound(
      dataType: DataType,
      key: Option[Long],
      bytes: Option[Array[Byte]]
  ): Option[Any] = {
    def catalyst(value: Option[Any]) =
      value.map(CatalystTypeConverters.convertToScala(_, dataType))
    dataType match {
      case ByteType    => catalyst(key.filter(_.isValidByte).map(_.toByte))
      case ShortType   => catalyst(key.filter(_.isValidShort).map(_.toShort))
      case IntegerType => catalyst(key.filter(_.isValidInt).map(_.toInt))
      case DateType    =>
        key.filter(k => k.isValidInt && k >= RebaseDateTime.lastSwitchJulianDay)
          .map(LocalDate.ofEpochDay)
      case TimestampType =>
        key.filter(_ >= RebaseDateTime.lastSwitchJulianTs).map(DateTimeUtils.microsToInstant)
      case LongType | TimestampNTZType                              => catalyst(key)
      case d: DecimalType if d.precision <= Decimal.MAX_LONG_DIGITS =>
        catalyst(key.map(Decimal(_, d.precision, d.scale)))
      case _: StringType =>
        catalyst(bytes.map(UTF8String.fromBytes(_)).filter(Collations.isValid(_)))
      case _ => None
    }
  }
}

private[latebloom] object JoinKeyPredicate {

  /** None where there are too many keys. */
  def of(join: JoinFilter, context: SparkContext): Option[JoinKeyPredicate] = join.filter.map {
    keys =>
      new JoinKeyPredicate(join, keys, context.broadcast(new SharedKeys(keys)))
  }

  private def column(key: Expression): Option[Attribute] = key match {
    case a: Attribute                                         => Some(a)
    case Cast(c, to, _, _) if widens(c.dataType, to)          => column(c)
    case KnownFloatingPointNormalized(NormalizeNaNAndZero(c)) => column(c)
    case KnownNotNull(c)                                      => column(c)
    case _                                                    => None
  }

  private def widens(from: DataType, to: DataType) = {
    val integers = Seq[DataType](ByteType, ShortType, IntegerType, LongType)
    integers.contains(from) && integers.indexOf(from) <= integers.indexOf(to)
  }
}
