// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.YearMonthIntervalType;

/** Evaluates a predicate on a value that Spark decoded: the slow, always applicable way. */
public final class ValueTest {
  private final DataType type;
  private final ColumnPredicate predicate;
  private final byte[] decimal = new byte[DecimalKeys.LENGTH];

  public ValueTest(DataType type, ColumnPredicate predicate) {
    this.type = type;
    this.predicate = predicate;
  }

  /** Whether the value in column {@code ordinal} of {@code row} passes. */
  public boolean passes(SpecializedGetters row, int ordinal) {
    if (row.isNullAt(ordinal)) {
      return predicate.nullPasses();
    }
    if (predicate instanceof ColumnPredicate.Longs longs) {
      return longs.ranges().contains(key(row, ordinal));
    }
    BytesTest test = ((ColumnPredicate.Bytes) predicate).test();
    if (type instanceof DecimalType d) {
      byte[] unscaled =
          row.getDecimal(ordinal, d.precision(), d.scale())
              .toJavaBigDecimal()
              .unscaledValue()
              .toByteArray();
      DecimalKeys.write(unscaled, 0, unscaled.length, decimal, 0);
      return test.test(decimal, 0, decimal.length);
    }
    byte[] bytes = row.getBinary(ordinal);
    return test.test(bytes, 0, bytes.length);
  }

  private long key(SpecializedGetters row, int ordinal) {
    if (type instanceof IntegerType
        || type instanceof DateType
        || type instanceof YearMonthIntervalType) {
      return row.getInt(ordinal);
    } else if (type instanceof BooleanType) {
      return row.getBoolean(ordinal) ? 1 : 0;
    } else if (type instanceof ByteType) {
      return row.getByte(ordinal);
    } else if (type instanceof ShortType) {
      return row.getShort(ordinal);
    } else if (type instanceof FloatType) {
      return OrderedKeys.of(row.getFloat(ordinal));
    } else if (type instanceof DoubleType) {
      return OrderedKeys.of(row.getDouble(ordinal));
    } else if (type instanceof DecimalType d) {
      return row.getDecimal(ordinal, d.precision(), d.scale()).toUnscaledLong();
    }
    return row.getLong(ordinal);
  }
}
