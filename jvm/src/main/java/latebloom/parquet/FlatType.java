// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.schema.LogicalTypeAnnotation;
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
 * How a flat column that we decode ourselves lies in the file, and as what Spark holds it. Everything
 * that is not listed in {@link #of} (rebased dates, INT96, other timestamp units, unsigned integers,
 * most widenings) is left to Spark's own column reader.
 *
 * @param physical how a value lies in a PLAIN page
 * @param width bytes of a value; 0 for byte strings, whose length stands in front
 * @param held what kind of value Spark's vector holds
 * @param decimalBytes whether byte strings are big-endian decimals rather than text
 */
record FlatType(Physical physical, int width, Held held, boolean decimalBytes) {

  enum Physical {
    BOOLEAN,
    INT32,
    INT64,
    FLOAT,
    DOUBLE,
    /** Big-endian two's complement of {@code width} bytes, at most 8. */
    BIG_ENDIAN,
    BINARY,
    FIXED_BINARY
  }

  enum Held {
    BOOLEAN,
    BYTE,
    SHORT,
    INT,
    LONG,
    FLOAT,
    DOUBLE,
    BYTES
  }

  boolean isBytes() {
    return held == Held.BYTES;
  }

  /**
   * @param corrected whether dates and timestamps of the file need no rebasing to the proleptic
   *     Gregorian calendar
   * @return null when the column is not flat, or not ours to decode
   */
  static FlatType of(ColumnDescriptor column, DataType type, boolean corrected) {
    if (column.getMaxRepetitionLevel() != 0) {
      return null;
    }
    PrimitiveType primitive = column.getPrimitiveType();
    LogicalTypeAnnotation logical = primitive.getLogicalTypeAnnotation();
    return switch (primitive.getPrimitiveTypeName()) {
      case BOOLEAN -> type instanceof BooleanType ? fixed(Physical.BOOLEAN, 0, Held.BOOLEAN) : null;
      case INT32 -> fixed(Physical.INT32, 4, int32(logical, type, corrected));
      case INT64 -> fixed(Physical.INT64, 8, int64(logical, type, corrected));
      case FLOAT -> type instanceof FloatType ? fixed(Physical.FLOAT, 4, Held.FLOAT) : null;
      case DOUBLE -> type instanceof DoubleType ? fixed(Physical.DOUBLE, 8, Held.DOUBLE) : null;
      case BINARY -> binary(logical, type);
      case FIXED_LEN_BYTE_ARRAY -> fixedBinary(logical, type, primitive.getTypeLength());
      case INT96 -> null;
    };
  }

  private static FlatType fixed(Physical physical, int width, Held held) {
    return held == null ? null : new FlatType(physical, width, held, false);
  }

  private static Held int32(LogicalTypeAnnotation logical, DataType type, boolean corrected) {
    if (type instanceof IntegerType || type instanceof YearMonthIntervalType) {
      return Held.INT;
    } else if (type instanceof DateType) {
      return corrected ? Held.INT : null;
    } else if (type instanceof ByteType) {
      return Held.BYTE;
    } else if (type instanceof ShortType) {
      return Held.SHORT;
    } else if (type instanceof LongType) {
      boolean signed =
          logical == null || logical instanceof IntLogicalTypeAnnotation i && i.isSigned();
      return signed ? Held.LONG : null;
    }
    return decimal(logical, type);
  }

  private static Held int64(LogicalTypeAnnotation logical, DataType type, boolean corrected) {
    if (type instanceof LongType || type instanceof DayTimeIntervalType) {
      return Held.LONG;
    } else if (type instanceof TimestampType) {
      return corrected && isMicros(logical) ? Held.LONG : null;
    } else if (type instanceof TimestampNTZType) {
      return isMicros(logical) ? Held.LONG : null;
    }
    return decimal(logical, type);
  }

  private static boolean isMicros(LogicalTypeAnnotation logical) {
    return logical instanceof TimestampLogicalTypeAnnotation t && t.getUnit() == TimeUnit.MICROS;
  }

  /** Decimals of up to 18 digits with the file's own scale and no fewer digits. */
  private static Held decimal(LogicalTypeAnnotation logical, DataType type) {
    if (!(type instanceof DecimalType wanted) || !sameScale(logical, wanted)) {
      return null;
    }
    if (wanted.precision() <= 9) {
      return Held.INT;
    }
    return wanted.precision() <= 18 ? Held.LONG : null;
  }

  private static boolean sameScale(LogicalTypeAnnotation logical, DecimalType wanted) {
    return logical instanceof DecimalLogicalTypeAnnotation d
        && d.getScale() == wanted.scale()
        && d.getPrecision() <= wanted.precision();
  }

  private static FlatType binary(LogicalTypeAnnotation logical, DataType type) {
    if (type instanceof StringType || type instanceof BinaryType) {
      return new FlatType(Physical.BINARY, 0, Held.BYTES, false);
    }
    boolean wide = type instanceof DecimalType d && d.precision() > 18 && sameScale(logical, d);
    return wide ? new FlatType(Physical.BINARY, 0, Held.BYTES, true) : null;
  }

  private static FlatType fixedBinary(LogicalTypeAnnotation logical, DataType type, int width) {
    if (!(type instanceof DecimalType d) || !sameScale(logical, d)) {
      return null;
    }
    if (d.precision() > 18) {
      return new FlatType(Physical.FIXED_BINARY, width, Held.BYTES, true);
    }
    return width <= 8 ? fixed(Physical.BIG_ENDIAN, width, decimal(logical, type)) : null;
  }
}
