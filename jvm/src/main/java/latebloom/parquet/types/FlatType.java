// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.types;

import latebloom.line.ParquetColumns;
import latebloom.line.TimeColumns;
import latebloom.parquet.types.Conversion.OfNumbers;
import latebloom.parquet.types.Conversion.ToDecimalBytes;
import latebloom.read.predicate.VectorType;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DateLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.YearMonthIntervalType;

/**
 * A flat column's type in the file and in Spark: any pair of types that Spark's vectorised reader
 * accepts.
 *
 * @param physical layout of a value in a PLAIN page
 * @param width bytes of a value; 0 for byte strings, which their length precedes
 * @param vectorType the type of Spark's vector
 * @param decimalBytes whether byte strings are big-endian decimals rather than text
 * @param conversion from the file's values to Spark's; null if they are the same
 */
public record FlatType(
    Physical physical,
    int width,
    VectorType vectorType,
    boolean decimalBytes,
    Conversion conversion) {

  public enum Physical {
    BOOLEAN,
    INT32,
    INT64,
    /** Nanoseconds of the day and a Julian day; read as microseconds since 1970. */
    INT96,
    FLOAT,
    DOUBLE,
    /** Big-endian two's complement of {@code width} bytes, at most 8. */
    BIG_ENDIAN,
    BINARY,
    FIXED_BINARY;

    public boolean isBytes() {
      return this == BINARY || this == FIXED_BINARY;
    }
  }

  /** A type whose values are the same in the file and in Spark. */
  public FlatType(Physical physical, int width, VectorType vectorType, boolean decimalBytes) {
    this(physical, width, vectorType, decimalBytes, null);
  }

  /** Whether integers of the file from {@code min} to {@code max} are the same in Spark. */
  public boolean keeps(long min, long max) {
    return switch (vectorType) {
      case BYTE -> conversion == Conversions.TO_BYTE && (byte) min == min && (byte) max == max;
      case SHORT -> conversion == Conversions.TO_SHORT && (short) min == min && (short) max == max;
      case INT, LONG -> conversion == null;
      default -> false;
    };
  }

  public boolean isBytes() {
    return vectorType == VectorType.BYTES;
  }

  /**
   * @param calendars of the file's dates and timestamps
   * @return null if the column is not flat, or can't be read as {@code type}
   */
  public static FlatType of(ColumnDescriptor column, DataType type, Calendars calendars) {
    return column.getMaxRepetitionLevel() == 0 ? ofValues(column, type, calendars) : null;
  }

  /** As {@link #of}, for the values of a list or map as well. */
  static FlatType ofValues(ColumnDescriptor column, DataType type, Calendars calendars) {
    PrimitiveType primitive = column.getPrimitiveType();
    LogicalTypeAnnotation logical = primitive.getLogicalTypeAnnotation();
    if (type instanceof DecimalType decimal) {
      return decimal(primitive, logical, decimal);
    }
    return switch (primitive.getPrimitiveTypeName()) {
      case BOOLEAN ->
          type instanceof BooleanType ? fixed(Physical.BOOLEAN, 0, VectorType.BOOLEAN) : null;
      case INT32 -> int32(logical, type, calendars);
      case INT64 -> int64(logical, type, calendars);
      case INT96 -> int96(type, calendars);
      case FLOAT -> floats(type);
      case DOUBLE ->
          type instanceof DoubleType ? fixed(Physical.DOUBLE, 8, VectorType.DOUBLE) : null;
      case BINARY ->
          type instanceof StringType || type instanceof BinaryType
              ? fixed(Physical.BINARY, 0, VectorType.BYTES)
              : null;
      case FIXED_LEN_BYTE_ARRAY ->
          type instanceof BinaryType
              ? fixed(Physical.FIXED_BINARY, primitive.getTypeLength(), VectorType.BYTES)
              : null;
    };
  }

  private static FlatType fixed(Physical physical, int width, VectorType vectorType) {
    return new FlatType(physical, width, vectorType, false);
  }

  private static FlatType int32(LogicalTypeAnnotation logical, DataType type, Calendars calendars) {
    if (type instanceof IntegerType || type instanceof YearMonthIntervalType) {
      return int32(VectorType.INT, null);
    } else if (type instanceof LongType) {
      if (logical instanceof IntLogicalTypeAnnotation i && !i.isSigned() && i.getBitWidth() == 32) {
        return int32(VectorType.LONG, Conversions.UNSIGNED_INT);
      }
      return ParquetColumns.converts() ? int32(VectorType.LONG, null) : null;
    } else if (type instanceof ByteType) {
      return int32(VectorType.BYTE, Conversions.TO_BYTE);
    } else if (type instanceof ShortType) {
      return int32(VectorType.SHORT, Conversions.TO_SHORT);
    } else if (type instanceof DateType) {
      return int32(VectorType.INT, Conversions.rebaseDays(calendars));
    } else if (!ParquetColumns.converts()) {
      return null;
    } else if (type instanceof DoubleType) {
      return int32(VectorType.DOUBLE, Conversions.INT_TO_DOUBLE);
    } else if (type instanceof TimestampNTZType && logical instanceof DateLogicalTypeAnnotation) {
      OfNumbers rebase = Conversions.rebaseDays(calendars);
      return int32(VectorType.LONG, Conversions.chain(rebase, Conversions.DAYS_TO_MICROS));
    }
    return null;
  }

  private static FlatType int32(VectorType vectorType, Conversion conversion) {
    return new FlatType(Physical.INT32, 4, vectorType, false, conversion);
  }

  private static FlatType int64(LogicalTypeAnnotation logical, DataType type, Calendars calendars) {
    if (type instanceof LongType || type instanceof DayTimeIntervalType) {
      return int64(null);
    } else if (TimeColumns.areMicros(type, logical)) {
      return int64(Conversions.MICROS_TO_NANOS);
    }
    boolean zoned = type instanceof TimestampType;
    if (!zoned && !(type instanceof TimestampNTZType)) {
      return null;
    }
    OfNumbers rebase = zoned ? Conversions.rebaseMicros(calendars) : null;
    TimeUnit unit = null;
    if (logical instanceof TimestampLogicalTypeAnnotation t) {
      boolean other = !zoned && t.isAdjustedToUTC();
      unit = other && !ParquetColumns.converts() ? null : t.getUnit();
    }
    if (unit == TimeUnit.MICROS) {
      return int64(rebase);
    }
    return unit == TimeUnit.MILLIS
        ? int64(Conversions.chain(Conversions.MILLIS_TO_MICROS, rebase))
        : null;
  }

  private static FlatType int64(Conversion conversion) {
    return new FlatType(Physical.INT64, 8, VectorType.LONG, false, conversion);
  }

  private static FlatType int96(DataType type, Calendars calendars) {
    if (type instanceof TimestampNTZType && ParquetColumns.converts()) {
      return fixed(Physical.INT96, 12, VectorType.LONG);
    }
    return type instanceof TimestampType
        ? new FlatType(Physical.INT96, 12, VectorType.LONG, false, Conversions.ofInt96(calendars))
        : null;
  }

  private static FlatType floats(DataType type) {
    if (type instanceof FloatType) {
      return fixed(Physical.FLOAT, 4, VectorType.FLOAT);
    }
    return type instanceof DoubleType && ParquetColumns.converts()
        ? new FlatType(Physical.FLOAT, 4, VectorType.DOUBLE, false, Conversions.FLOAT_TO_DOUBLE)
        : null;
  }

  private static FlatType decimal(
      PrimitiveType primitive, LogicalTypeAnnotation logical, DecimalType wanted) {
    int digits = scaleGrowth(primitive, logical, wanted);
    boolean unsigned =
        primitive.getPrimitiveTypeName() == PrimitiveType.PrimitiveTypeName.INT64
            && logical instanceof IntLogicalTypeAnnotation i
            && !i.isSigned()
            && i.getBitWidth() == 64
            && wanted.precision() == 20
            && wanted.scale() == 0;
    if (digits < 0 && !unsigned) {
      return null;
    }
    boolean bytes = wanted.precision() > 18;
    if (!ParquetColumns.converts()
        && !unsigned
        && !isSame(primitive, logical, digits, wanted.precision())) {
      return null;
    }
    int length = primitive.getTypeLength();
    Physical physical =
        switch (primitive.getPrimitiveTypeName()) {
          case INT32 -> Physical.INT32;
          case INT64 -> Physical.INT64;
          case BINARY -> Physical.BINARY;
          case FIXED_LEN_BYTE_ARRAY ->
              bytes || length > 8 ? Physical.FIXED_BINARY : Physical.BIG_ENDIAN;
          default -> null;
        };
    if (physical == null) {
      return null;
    }
    int width =
        switch (physical) {
          case INT32 -> 4;
          case INT64 -> 8;
          case BINARY -> 0;
          default -> length;
        };
    if (bytes) {
      boolean same = digits == 0 && physical.isBytes();
      return new FlatType(
          physical,
          width,
          VectorType.BYTES,
          true,
          same ? null : new ToDecimalBytes(Math.max(digits, 0), unsigned));
    }
    boolean small = wanted.precision() <= 9;
    OfNumbers conversion = Conversions.scaleUp(digits);
    if (digits == 0 && physical == Physical.FIXED_BINARY) {
      conversion = Conversions.ofFixedWidth(width);
    }
    if (small && (conversion != null || physical != Physical.INT32)) {
      conversion = Conversions.chain(conversion, Conversions.TO_INT);
    }
    return new FlatType(
        physical, width, small ? VectorType.INT : VectorType.LONG, false, conversion);
  }

  /**
   * Whether values of the file's type are those of a decimal of so many digits, in a vector as wide
   * as they are in the file.
   *
   * @param growth of the scale
   */
  private static boolean isSame(
      PrimitiveType primitive, LogicalTypeAnnotation logical, int growth, int precision) {
    boolean fits =
        switch (primitive.getPrimitiveTypeName()) {
          case INT32 -> precision <= 9;
          case INT64 -> precision <= 18;
          case BINARY -> precision > 18;
          default -> true;
        };
    return fits && growth == 0 && logical instanceof DecimalLogicalTypeAnnotation;
  }

  /**
   * The number of digits by which the scale grows from the file's to Spark's; -1 if digits might be
   * lost.
   */
  private static int scaleGrowth(
      PrimitiveType primitive, LogicalTypeAnnotation logical, DecimalType wanted) {
    if (logical instanceof DecimalLogicalTypeAnnotation d) {
      int growth = wanted.scale() - d.getScale();
      return wanted.precision() - d.getPrecision() >= growth ? growth : -1;
    }
    boolean signed =
        logical == null || logical instanceof IntLogicalTypeAnnotation i && i.isSigned();
    int digits =
        switch (primitive.getPrimitiveTypeName()) {
          case INT32 -> 10;
          case INT64 -> 20;
          default -> Integer.MAX_VALUE;
        };
    return signed && wanted.precision() - wanted.scale() >= digits ? wanted.scale() : -1;
  }
}
