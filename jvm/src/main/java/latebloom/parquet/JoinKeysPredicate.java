// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.Serializable;
import java.math.BigInteger;
import java.util.Optional;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.OrderedKeys;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.filter2.predicate.Operators;
import org.apache.parquet.filter2.predicate.Statistics;
import org.apache.parquet.filter2.predicate.UserDefinedPredicate;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.catalyst.util.DateTimeConstants;

/**
 * Rules out row groups and pages that hold no key of a join, by asking the keys for one between the
 * least and the greatest value. Shows no key: parquet-java logs predicates, and keys are data.
 *
 * @param <T> the column's values as parquet-java compares them
 */
public final class JoinKeysPredicate<T extends Comparable<T>> extends UserDefinedPredicate<T>
    implements Serializable {
  private static final long serialVersionUID = 1L;

  private final Between<T> keys;

  /** Compares keys with bounds of values. */
  private interface Between<T> extends Serializable {
    /** Whether no key lies in {@code [min, max]}; false if unknown. */
    boolean isEmpty(T min, T max);
  }

  private JoinKeysPredicate(Between<T> keys) {
    this.keys = keys;
  }

  /**
   * The predicate on a file's column; empty if its values do not compare as keys do.
   *
   * @param least the least key as Spark pushes it down to this file
   */
  public static Optional<FilterPredicate> of(
      FilterPredicate least, ColumnPredicate keys, MessageType schema) {
    return least instanceof Operators.GtEq<?> bound
        ? Optional.ofNullable(on(bound.getColumn(), keys, schema))
        : Optional.empty();
  }

  private static FilterPredicate on(
      Operators.Column<?> column, ColumnPredicate keys, MessageType schema) {
    LogicalTypeAnnotation type =
        schema.getType(column.getColumnPath().toArray()).getLogicalTypeAnnotation();
    if (column instanceof Operators.IntColumn ints) {
      return FilterApi.userDefined(
          ints, new JoinKeysPredicate<Integer>((min, max) -> keys.isDisjoint((long) min, max)));
    }
    if (column instanceof Operators.LongColumn longs) {
      boolean millis =
          type instanceof TimestampLogicalTypeAnnotation t && t.getUnit() == TimeUnit.MILLIS;
      return FilterApi.userDefined(
          longs,
          new JoinKeysPredicate<>(numbers(keys, millis ? DateTimeConstants.MICROS_PER_MILLIS : 1)));
    }
    if (column instanceof Operators.BinaryColumn strings) {
      return FilterApi.userDefined(
          strings,
          new JoinKeysPredicate<>(
              type instanceof DecimalLogicalTypeAnnotation ? decimals(keys) : strings(keys)));
    }
    return null;
  }

  private static Between<Long> numbers(ColumnPredicate keys, long unit) {
    long most = Long.MAX_VALUE / unit;
    return (min, max) -> min >= -most && max <= most && keys.isDisjoint(min * unit, max * unit);
  }

  private static Between<Binary> decimals(ColumnPredicate keys) {
    return (min, max) ->
        min.length() > 0 && max.length() > 0 && keys.isDisjoint(unscaled(min), unscaled(max));
  }

  private static long unscaled(Binary value) {
    return OrderedKeys.of(new BigInteger(value.getBytesUnsafe()));
  }

  private static Between<Binary> strings(ColumnPredicate keys) {
    return (min, max) -> keys.isDisjoint(min.getBytesUnsafe(), max.getBytesUnsafe());
  }

  @Override
  public boolean keep(T value) {
    return value != null && !keys.isEmpty(value, value);
  }

  @Override
  public boolean acceptsNullValue() {
    return false;
  }

  @Override
  public boolean canDrop(Statistics<T> of) {
    return keys.isEmpty(of.getMin(), of.getMax());
  }

  @Override
  public boolean inverseCanDrop(Statistics<T> of) {
    return false;
  }

  @Override
  public String toString() {
    return "keys of a join";
  }
}
