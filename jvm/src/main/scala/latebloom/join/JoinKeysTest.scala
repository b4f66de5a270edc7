// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import scala.jdk.OptionConverters._

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
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.sources.{Filter, GreaterThanOrEqual, LessThanOrEqual}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import latebloom.bloom.KeyFilter
import latebloom.read.ScanFilter

/** A join filter whose keys are known. */
final private[latebloom] class JoinKeysTest(
    join: JoinFilter,
    keys: KeyFilter,
    shared: Broadcast[SharedKeys]
) {

  /** What EXPLAIN says of it, without a key. */
  def text: String = join.text

  /** Whether the other side has no key at all. */
  def none: Boolean = keys.form == "empty"

  /** The test of a column that has the very keys: see [[column]]. */
  def ofColumn: ScanFilter.Keys = new KeysInTask(shared)

  /** The test as an expression on the columns of the scan. */
  def condition: Expression = join.copy(keys = SharedKeysExpression(shared))

  /** The column whose values have the very keys that the key has: it is the column, or made of it
    * by a conversion that changes no key.
    */
  lazy val column: Option[Attribute] = JoinKeysTest.column(join.key)

  /** Bounds on the column that statistics can be compared with. */
  def range: Seq[Filter] = {
    for {
      attribute <- column
      least <- bound(attribute.dataType, keys.min.toScala, keys.minBytes.toScala)
      most <- bound(attribute.dataType, keys.max.toScala, keys.maxBytes.toScala)
    } yield {
      val name = quoteIfNeeded(attribute.name)
      Seq(GreaterThanOrEqual(name, least), LessThanOrEqual(name, most))
    }
  }.getOrElse(Nil)

  /** A key as a value of Spark's data sources. */
  private def bound(
      dataType: DataType,
      key: Option[Long],
      bytes: Option[Array[Byte]]
  ): Option[Any] = {
    val value = dataType match {
      case ByteType                                    => key.filter(_.isValidByte).map(_.toByte)
      case ShortType                                   => key.filter(_.isValidShort).map(_.toShort)
      case IntegerType | DateType                      => key.filter(_.isValidInt).map(_.toInt)
      case LongType | TimestampType | TimestampNTZType => key
      case d: DecimalType if d.precision <= Decimal.MAX_LONG_DIGITS =>
        key.map(Decimal(_, d.precision, d.scale))
      case _: StringType => bytes.map(UTF8String.fromBytes(_)).filter(_.isValid)
      case _             => None
    }
    value.map(CatalystTypeConverters.convertToScala(_, dataType))
  }
}

private[latebloom] object JoinKeysTest {

  /** None where there are too many keys. */
  def of(join: JoinFilter, context: SparkContext): Option[JoinKeysTest] = join.filter.map { keys =>
    new JoinKeysTest(join, keys, context.broadcast(new SharedKeys(keys)))
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
