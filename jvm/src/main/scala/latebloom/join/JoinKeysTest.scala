// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import scala.jdk.OptionConverters._

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import latebloom.bloom.KeyFilter
import latebloom.read.ColumnPredicate

/** A join filter whose keys are known. */
final private[latebloom] case class JoinKeysTest(join: JoinFilter, keys: KeyFilter) {

  /** What EXPLAIN says of it, without a key. */
  def text: String = join.text

  /** Whether the other side has no key at all. */
  def none: Boolean = keys.form == "empty"

  def predicate: ColumnPredicate = keys.predicate

  /** The test as an expression on the columns of the scan. */
  def condition: Expression = join.copy(keys = Literal(keys.serialize(), BinaryType))

  /** The column whose values have the very keys that the key has: it is the column, or made of it
    * by a conversion that changes no key.
    */
  lazy val column: Option[Attribute] = JoinKeysTest.column(join.key)

  /** Bounds on the column that statistics can be compared with. */
  def range: Option[Expression] =
    for {
      attribute <- column
      least <- bound(attribute.dataType, keys.min.toScala, keys.minBytes.toScala)
      most <- bound(attribute.dataType, keys.max.toScala, keys.maxBytes.toScala)
    } yield And(GreaterThanOrEqual(attribute, least), LessThanOrEqual(attribute, most))

  private def bound(
      dataType: DataType,
      key: Option[Long],
      bytes: Option[Array[Byte]]
  ): Option[Literal] =
    dataType match {
      case ByteType if key.exists(_.isValidByte)   => key.map(k => Literal(k.toByte, dataType))
      case ShortType if key.exists(_.isValidShort) => key.map(k => Literal(k.toShort, dataType))
      case IntegerType | DateType if key.exists(_.isValidInt) =>
        key.map(k => Literal(k.toInt, dataType))
      case LongType | TimestampType | TimestampNTZType              => key.map(Literal(_, dataType))
      case d: DecimalType if d.precision <= Decimal.MAX_LONG_DIGITS =>
        key.map(k => Literal(Decimal(k, d.precision, d.scale), d))
      case _: StringType =>
        bytes.map(UTF8String.fromBytes(_)).filter(_.isValid).map(Literal(_, dataType))
      case _ => None
    }
}

private[latebloom] object JoinKeysTest {

  /** None where there are too many keys. */
  def of(join: JoinFilter): Option[JoinKeysTest] = join.filter.map(JoinKeysTest(join, _))

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
