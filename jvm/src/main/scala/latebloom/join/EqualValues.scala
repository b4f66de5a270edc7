// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.types._

import latebloom.line.LineExpressions.KeyOfText
import latebloom.line.{Collations, TimeTypes}

/** Values that Spark groups as equal although they are not identical: -0.0 and 0.0, the NaNs, texts
  * that a collation treats as equal, maps with entries in different orders.
  *
  * A group has one value for all of its rows. An expression of that value equals the expression of
  * a row's own value only if equal values are identical, or if the expression cannot distinguish
  * them: [[NormalizeNaNAndZero]] and [[KeyOfText]] return identical results for equal values, and
  * so does any expression of their results.
  */
private[latebloom] object EqualValues {

  /** Whether equal values of the type are always identical. */
  def areSame(dataType: DataType): Boolean = dataType match {
    case s: StringType         => Collations.hasBinaryEquality(s)
    case ArrayType(element, _) => areSame(element)
    case StructType(fields)    => fields.forall(f => areSame(f.dataType))
    case BooleanType | ByteType | ShortType | IntegerType | LongType | _: DecimalType | BinaryType |
        DateType | TimestampType | TimestampNTZType | _: YearMonthIntervalType |
        _: DayTimeIntervalType | NullType =>
      true
    case other => TimeTypes.isTime(other)
  }

  /** Whether the expression may differ for equal values of its columns. */
  def toldApartBy(e: Expression): Boolean = e match {
    case NormalizeNaNAndZero(a: Attribute) => !isFloating(a.dataType)
    case KeyOfText(a: Attribute)           => !a.dataType.isInstanceOf[StringType]
    case a: Attribute                      => !areSame(a.dataType)
    case other                             => other.children.exists(toldApartBy)
  }

  private def isFloating(dataType: DataType) = dataType == FloatType || dataType == DoubleType
}
