// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.types._

import latebloom.line.LineExpressions.KeyOfText
import latebloom.line.{Collations, TimeTypes}

/** Values that Spark groups as equal although they are not the same: -0.0 and 0.0, the NaNs, texts
  * that a collation takes for equal, maps whose entries stand in another order.
  *
  * A group has one value for all of its rows. What is computed from that value is what would be
  * computed from a row's own only where equal values are the same, or where the expression cannot
  * tell them apart: [[NormalizeNaNAndZero]] and [[KeyOfText]] give the same for all that are equal,
  * and so does whatever is computed from what they give.
  */
private[join] object EqualValues {

  /** Whether two values of the type that are equal are always the same. */
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

  /** Whether the expression may differ for values of its columns that are equal. */
  def toldApartBy(e: Expression): Boolean = e match {
    case NormalizeNaNAndZero(a: Attribute) => !isFloating(a.dataType)
    case KeyOfText(a: Attribute)           => !a.dataType.isInstanceOf[StringType]
    case a: Attribute                      => !areSame(a.dataType)
    case other                             => other.children.exists(toldApartBy)
  }

  private def isFloating(dataType: DataType) = dataType == FloatType || dataType == DoubleType
}
