// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.types

import java.nio.{ByteBuffer, ByteOrder}
import java.time.ZoneId

import scala.util.{Failure, Random, Success, Try}

import org.apache.parquet.bytes.ByteBufferInputStream
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.format.Encoding
import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.MessageTypeParser.parseMessageType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetVectorUpdater,
  ParquetVectorUpdaterFactory,
  VectorizedPlainValuesReader
}
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types._

import latebloom.LineTypes
import latebloom.parquet.encoding.{Bytes, Decoders}
import latebloom.parquet.flat.ChunkDictionary
import latebloom.parquet.page.ColumnPlace
import latebloom.read.RandomCases
import latebloom.read.predicate.VectorType

/** We accept exactly the pairs of types that Spark's vectorised reader accepts, and convert each
  * value as Spark's own updater does, or fail with the same error.
  */
class FlatTypeSuite extends AnyFunSuite with RandomCases {

  private val fileTypes = Seq("", "INTEGER(8,true)", "INTEGER(8,false)", "INTEGER(16,true)")
    .map(a => "int32" -> a) ++ Seq(
    "int32" -> "INTEGER(16,false)",
    "int32" -> "INTEGER(32,true)",
    "int32" -> "INTEGER(32,false)",
    "int32" -> "DATE",
    "int32" -> "DECIMAL(9,2)",
    "int32" -> "DECIMAL(5,0)",
    "int32" -> "TIME(MILLIS,true)",
    "int64" -> "",
    "int64" -> "INTEGER(64,true)",
    "int64" -> "INTEGER(64,false)",
    "int64" -> "DECIMAL(18,4)",
    "int64" -> "DECIMAL(7,2)",
    "int64" -> "TIMESTAMP(MICROS,true)",
    "int64" -> "TIMESTAMP(MILLIS,true)",
    "int64" -> "TIMESTAMP(NANOS,true)",
    "int64" -> "TIMESTAMP(MICROS,false)",
    "int64" -> "TIMESTAMP(MILLIS,false)",
    "int64" -> "TIME(MICROS,true)",
    "int64" -> "TIME(MICROS,false)",
    "int96" -> "",
    "float" -> "",
    "double" -> "",
    "boolean" -> "",
    "binary" -> "",
    "binary" -> "STRING",
    "binary" -> "DECIMAL(8,2)",
    "binary" -> "DECIMAL(16,2)",
    "binary" -> "DECIMAL(30,2)",
    "fixed_len_byte_array(5)" -> "",
    "fixed_len_byte_array(4)" -> "DECIMAL(9,2)",
    "fixed_len_byte_array(7)" -> "DECIMAL(16,2)",
    "fixed_len_byte_array(10)" -> "DECIMAL(16,2)",
    "fixed_len_byte_array(16)" -> "DECIMAL(16,2)",
    "fixed_len_byte_array(16)" -> "DECIMAL(38,2)"
  )

  private val sparkTypes = Seq(
    ByteType,
    ShortType,
    IntegerType,
    LongType,
    FloatType,
    DoubleType,
    BooleanType,
    StringType,
    BinaryType,
    DateType,
    TimestampType,
    TimestampNTZType,
    YearMonthIntervalType(),
    DayTimeIntervalType(),
    DecimalType(7, 2),
    DecimalType(9, 2),
    DecimalType(9, 4),
    DecimalType(10, 0),
    DecimalType(12, 3),
    DecimalType(16, 2),
    DecimalType(18, 4),
    DecimalType(20, 0),
    DecimalType(20, 2),
    DecimalType(24, 4),
    DecimalType(30, 2),
    DecimalType(38, 2),
    DecimalType(38, 4),
    DecimalType(38, 10)
  ) ++ LineTypes.time

  private val calendars = Seq(
    Calendars.CORRECTED,
    new Calendars("LEGACY", "America/Los_Angeles", "LEGACY", "Asia/Kolkata", null),
    new Calendars("EXCEPTION", "UTC", "EXCEPTION", "UTC", null),
    new Calendars("CORRECTED", "UTC", "CORRECTED", "UTC", ZoneId.of("Europe/Paris")),
    new Calendars("LEGACY", "UTC", "LEGACY", "UTC", ZoneId.of("America/New_York"))
  )

  private val updaters = classOf[ParquetVectorUpdaterFactory].getDeclaredConstructors.head
  updaters.setAccessible(true)

  private def updater(
      column: ColumnDescriptor,
      logical: LogicalTypeAnnotation,
      c: Calendars,
      to: DataType
  ): Try[ParquetVectorUpdater] = Try {
    updaters
      .newInstance(
        logical,
        c.convertTz,
        c.datetimeMode,
        c.datetimeZone,
        c.int96Mode,
        c.int96Zone
      )
      .asInstanceOf[ParquetVectorUpdaterFactory]
      .getUpdater(column, to)
  }

  private def integer(random: Random): Long = random.nextInt(6) match {
    case 0 => random.nextInt(20) - 10
    case 1 => random.nextInt()
    case 2 => -random.nextInt(800000).toLong // days before 1970, many of them Julian
    case 3 => -random.nextInt(70000).toLong * 1000003000L // milliseconds or microseconds
    case 4 => random.nextLong()
    case 5 => random.oneOf(Long.MaxValue, Long.MinValue, Int.MaxValue.toLong, Int.MinValue.toLong)
  }

  /** One PLAIN value. */
  private def value(random: Random, column: ColumnDescriptor): Array[Byte] = {
    def bytes(n: Int) = { val b = new Array[Byte](n); random.nextBytes(b); b }
    val to = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN)
    column.getPrimitiveType.getPrimitiveTypeName match {
      case BOOLEAN => to.put(random.nextInt(2).toByte)
      case INT32   => to.putInt(integer(random).toInt)
      case INT64   => to.putLong(integer(random))
      case INT96   =>
        to.putLong(random.below(86400000000000L)).putInt(2440588 - random.nextInt(1000000))
      case FLOAT =>
        to.putFloat(random.oneOf(Float.NaN, -0.0f, Float.MaxValue, random.nextFloat() * 1000))
      case DOUBLE => to.putDouble(random.oneOf(Double.NaN, -0.0, random.nextDouble() * 1000))
      case BINARY =>
        val b = bytes(1 + random.nextInt(12))
        to.putInt(b.length).put(b)
      case FIXED_LEN_BYTE_ARRAY => to.put(bytes(column.getPrimitiveType.getTypeLength))
    }
    to.array.take(to.position)
  }

  private def bySpark(updater: ParquetVectorUpdater, to: DataType, page: Array[Byte]): Any = {
    val reader = new VectorizedPlainValuesReader
    reader.initFromPage(1, ByteBufferInputStream.wrap(ByteBuffer.wrap(page)))
    val vector = new OnHeapColumnVector(1, to)
    updater.readValue(0, vector, reader)
    to match {
      case BooleanType                                       => if (vector.getBoolean(0)) 1L else 0L
      case ByteType                                          => vector.getByte(0).toLong
      case ShortType                                         => vector.getShort(0).toLong
      case IntegerType | DateType | _: YearMonthIntervalType => vector.getInt(0).toLong
      case FloatType  => java.lang.Float.floatToRawIntBits(vector.getFloat(0)).toLong
      case DoubleType => java.lang.Double.doubleToRawLongBits(vector.getDouble(0))
      case d: DecimalType if d.precision <= 9       => vector.getInt(0).toLong
      case d: DecimalType if d.precision <= 18      => vector.getLong(0)
      case StringType | BinaryType | _: DecimalType => vector.getBinary(0).toSeq
      case _                                        => vector.getLong(0)
    }
  }

  private def byUs(flat: FlatType, page: Array[Byte]): Any = {
    val bytes = new Bytes(page, 0, page.length)
    if (flat.isBytes) {
      val values = Decoders.strings(flat, Encoding.PLAIN, bytes, 1)
      val offset, length = new Array[Int](1)
      values.locate(Array(0), 1, offset, length)
      values.data.slice(offset(0), offset(0) + length(0)).toSeq
    } else {
      val out = new Array[Long](1)
      Decoders.fixed(flat, Encoding.PLAIN, bytes, 1).read(Array(0), 1, out)
      // A vector of doubles or of 32 bits keeps no more than that.
      if (flat.vectorType == VectorType.INT) assert(out(0) == out(0).toInt)
      out(0)
    }
  }

  /** Spark 4.1.3 can't put a decimal of bytes into a vector of integers. */
  private def crashes(column: ColumnDescriptor, to: DataType): Boolean =
    column.getPrimitiveType.getPrimitiveTypeName == BINARY && DecimalType.is64BitDecimalType(to)

  private def smallDecimal(
      page: Array[Byte],
      logical: LogicalTypeAnnotation,
      to: DataType
  ): Long = {
    val from = logical.asInstanceOf[LogicalTypeAnnotation.DecimalLogicalTypeAnnotation]
    val d = to.asInstanceOf[DecimalType]
    val unscaled = BigInt(page.drop(4)) * BigInt(10).pow(d.scale - from.getScale)
    if (d.precision <= 9) unscaled.intValue.toLong else unscaled.longValue
  }

  private def outcome(read: => Any): Any = Try(read) match {
    case Success(v) => v
    case Failure(e) => (e.getClass, e.getMessage)
  }

  for ((physical, annotation) <- fileTypes) {
    val name = if (annotation.isEmpty) physical else s"$physical $annotation"
    test(s"$name is read as every type that Spark reads it as, value by value as Spark does") {
      val suffix = if (annotation.isEmpty) "" else s" ($annotation)"
      val schema = parseMessageType(s"message m { required $physical c$suffix; }")
      val column = schema.getColumns.get(0)
      val logical = column.getPrimitiveType.getLogicalTypeAnnotation
      for { to <- sparkTypes; c <- calendars } withClue(s"as $to, $c: ") {
        val flat = FlatType.of(column, to, c)
        updater(column, logical, c, to) match {
          case Failure(_)  => assert(flat == null)
          case Success(by) =>
            assert(flat != null)
            forSeeds(60) { random =>
              val page = value(random, column)
              val expected =
                if (crashes(column, to)) smallDecimal(page, logical, to)
                else outcome(bySpark(by, to, page))
              assert(outcome(byUs(flat, page)) == expected)
            }
        }
      }
    }
  }

  test("an entry of a dictionary that Spark refuses is an error only for the row that has it") {
    val schema = parseMessageType("message m { required int32 c (DATE); }")
    val flat = FlatType.of(
      schema.getColumns.get(0),
      DateType,
      new Calendars("EXCEPTION", "UTC", "EXCEPTION", "UTC", null)
    )
    val page = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN)
    page.putInt(7).putInt(-700000).putInt(8)
    val place = new ColumnPlace("file", 0, "c")
    val dictionary = new ChunkDictionary(place, flat, new Bytes(page.array, 0, 12), 3)
    val out = new Array[Long](2)
    dictionary.look(Array(0, 2), 2, out)
    assert(out.toSeq == Seq(7, 8))
    val refusal = intercept[RuntimeException](dictionary.look(Array(2, 1), 2, out))
    assert(refusal.getClass.getSimpleName == "SparkUpgradeException")
  }
}
