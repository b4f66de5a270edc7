// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.function.LongConsumer;
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

/**
 * A row of one flat column that presents one value after another to Spark's compiled predicates.
 */
final class ValueRow {
  private final SpecificInternalRow row;
  private final DataType type;
  private final LongConsumer setter;

  ValueRow(DataType type) {
    this.row = new SpecificInternalRow(new StructType().add("value", type));
    this.type = type;
    this.setter = setter(row, type);
  }

  private static LongConsumer setter(SpecificInternalRow row, DataType type) {
    if (type instanceof BooleanType) {
      return bits -> row.setBoolean(0, bits != 0);
    } else if (type instanceof ByteType) {
      return bits -> row.setByte(0, (byte) bits);
    } else if (type instanceof ShortType) {
      return bits -> row.setShort(0, (short) bits);
    } else if (type instanceof IntegerType
        || type instanceof DateType
        || type instanceof YearMonthIntervalType) {
      return bits -> row.setInt(0, (int) bits);
    } else if (type instanceof FloatType) {
      return bits -> row.setFloat(0, Float.intBitsToFloat((int) bits));
    } else if (type instanceof DoubleType) {
      return bits -> row.setDouble(0, Double.longBitsToDouble(bits));
    } else if (type instanceof DecimalType d) {
      return bits -> row.update(0, Decimal.createUnsafe(bits, d.precision(), d.scale()));
    }
    return bits -> row.setLong(0, bits);
  }

  InternalRow ofNull() {
    row.setNullAt(0);
    return row;
  }

  /**
   * @param bits the value of an integer, the bits of a float or double, 0 or 1 for a boolean, the
   *     unscaled value of a decimal
   */
  InternalRow of(long bits) {
    setter.accept(bits);
    return row;
  }

  /** Presents the bytes of text or binary, or the big-endian unscaled value of a decimal. */
  InternalRow of(byte[] data, int offset, int length) {
    if (type instanceof DecimalType d) {
      BigDecimal value = new BigDecimal(new BigInteger(data, offset, length), d.scale());
      row.update(0, Decimal.apply(value, d.precision(), d.scale()));
    } else if (type instanceof BinaryType) {
      row.update(0, Arrays.copyOfRange(data, offset, offset + length));
    } else {
      row.update(0, UTF8String.fromBytes(data, offset, length));
    }
    return row;
  }
}
