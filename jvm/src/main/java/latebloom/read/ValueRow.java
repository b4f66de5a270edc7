// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.apache.spark.unsafe.types.UTF8String;

/** A row of one flat column, through which Spark's compiled predicates see one value after another. */
final class ValueRow {
  private enum Held {
    BOOLEAN,
    BYTE,
    SHORT,
    INT,
    LONG,
    FLOAT,
    DOUBLE,
    DECIMAL
  }

  private final SpecificInternalRow row;
  private final DataType type;
  private final Held held;

  ValueRow(DataType type) {
    this.row = new SpecificInternalRow(new StructType().add("value", type));
    this.type = type;
    this.held = held(type);
  }

  private static Held held(DataType type) {
    if (type instanceof BooleanType) {
      return Held.BOOLEAN;
    } else if (type instanceof ByteType) {
      return Held.BYTE;
    } else if (type instanceof ShortType) {
      return Held.SHORT;
    } else if (type instanceof IntegerType
        || type instanceof DateType
        || type instanceof YearMonthIntervalType) {
      return Held.INT;
    } else if (type instanceof FloatType) {
      return Held.FLOAT;
    } else if (type instanceof DoubleType) {
      return Held.DOUBLE;
    }
    return type instanceof DecimalType ? Held.DECIMAL : Held.LONG;
  }

  InternalRow ofNull() {
    row.setNullAt(0);
    return row;
  }

  /**
   * @param bits integers as themselves, floats and doubles as their bits, booleans as 0 or 1,
   *     decimals as their unscaled value
   */
  InternalRow of(long bits) {
    switch (held) {
      case BOOLEAN -> row.setBoolean(0, bits != 0);
      case BYTE -> row.setByte(0, (byte) bits);
      case SHORT -> row.setShort(0, (short) bits);
      case INT -> row.setInt(0, (int) bits);
      case LONG -> row.setLong(0, bits);
      case FLOAT -> row.setFloat(0, Float.intBitsToFloat((int) bits));
      case DOUBLE -> row.setDouble(0, Double.longBitsToDouble(bits));
      case DECIMAL -> {
        DecimalType d = (DecimalType) type;
        row.update(0, Decimal.createUnsafe(bits, d.precision(), d.scale()));
      }
    }
    return row;
  }

  /** Text and binary as they lie in {@code data}, decimals by their big-endian unscaled value. */
  InternalRow of(byte[] data, int offset, int length) {
    if (type instanceof DecimalType d) {
      BigDecimal value = new BigDecimal(new BigInteger(data, offset, length), d.scale());
      row.update(0, Decimal.apply(value, d.precision(), d.scale()));
    } else if (type instanceof BinaryType) {
      row.update(0, java.util.Arrays.copyOfRange(data, offset, offset + length));
    } else {
      row.update(0, UTF8String.fromBytes(data, offset, length));
    }
    return row;
  }
}
