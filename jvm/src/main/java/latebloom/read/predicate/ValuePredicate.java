// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import org.apache.spark.sql.catalyst.InternalRow;
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

/** Evaluates a predicate on values that Spark decoded: slow, but for any type. */
public final class ValuePredicate {
  private final DataType type;
  private final PredicateCursor predicate;

  public ValuePredicate(DataType type, PredicateCursor predicate) {
    this.type = type;
    this.predicate = predicate;
  }

  /** Whether the value in the first column of {@code row} passes. */
  public boolean passes(InternalRow row) {
    if (predicate instanceof PredicateCursor.Compiled compiled) {
      return compiled.test(row);
    }
    if (row.isNullAt(0)) {
      return predicate.nullPasses();
    }
    if (predicate.predicate() instanceof ColumnPredicate.Longs longs) {
      return longs.ranges().contains(key(row));
    }
    if (predicate.predicate() instanceof ColumnPredicate.Probed probed) {
      return probed.probe().test(key(row));
    }
    PredicateCursor.Bytes bytes = (PredicateCursor.Bytes) predicate;
    if (type instanceof DecimalType d) {
      byte[] unscaled =
          row.getDecimal(0, d.precision(), d.scale())
              .toJavaBigDecimal()
              .unscaledValue()
              .toByteArray();
      return bytes.testDecimal(unscaled, 0, unscaled.length);
    }
    return bytes.test(row.getBinary(0));
  }

  private long key(InternalRow row) {
    if (type instanceof IntegerType
        || type instanceof DateType
        || type instanceof YearMonthIntervalType) {
      return row.getInt(0);
    } else if (type instanceof BooleanType) {
      return row.getBoolean(0) ? 1 : 0;
    } else if (type instanceof ByteType) {
      return row.getByte(0);
    } else if (type instanceof ShortType) {
      return row.getShort(0);
    } else if (type instanceof FloatType) {
      return OrderedKeys.of(row.getFloat(0));
    } else if (type instanceof DoubleType) {
      return OrderedKeys.of(row.getDouble(0));
    } else if (type instanceof DecimalType d) {
      return row.getDecimal(0, d.precision(), d.scale()).toUnscaledLong();
    }
    return row.getLong(0);
  }
}
