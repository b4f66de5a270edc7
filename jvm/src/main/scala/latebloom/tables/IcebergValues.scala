// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import java.nio.ByteBuffer

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Values of Iceberg's partitions in Spark's form. */
private[tables] object IcebergValues {

  /** Spark's form of a value, which may be null. */
  final case class Sparks(value: Any)

  /** Spark's form of a partition's value; None if it has none. */
  def asSparks(dataType: DataType, value: Any): Option[Sparks] =
    if (value == null) Some(Sparks(null))
    else Option(dataType match {
      case BooleanType            => value match { case b: java.lang.Boolean => b; case _ => null }
      case IntegerType | DateType => number(value)(_.intValue)
      case LongType | TimestampType | TimestampNTZType => number(value)(_.longValue)
      case FloatType                                   => number(value)(_.floatValue)
      case DoubleType                                  => number(value)(_.doubleValue)
      case StringType                                  => value match {
          case text: CharSequence => UTF8String.fromString(text.toString)
          case _                  => null
        }
      case d: DecimalType => value match {
          case n: java.math.BigDecimal => Decimal(n, d.precision, d.scale)
          case _                       => null
        }
      case BinaryType => value match {
          case bytes: ByteBuffer =>
            val copied = new Array[Byte](bytes.remaining)
            bytes.duplicate().get(copied)
            copied
          case _ => null
        }
      case _ => null
    }).map(Sparks(_))

  private def number(value: Any)(as: Number => Any): Any = value match {
    case n: Number => as(n)
    case _         => null
  }
}
