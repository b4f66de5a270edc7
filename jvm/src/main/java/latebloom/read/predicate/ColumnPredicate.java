// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.io.Serializable;
import java.util.Arrays;
import latebloom.read.text.BytesPredicate;

/**
 * A condition on one column: a two-valued test of the non-null values, and whether a null passes.
 * Compilation resolves three-valued logic: a value passes exactly when the SQL condition is TRUE
 * for it. Immutable and shared by threads: a {@link PredicateCursor} tests values.
 *
 * <p>Two domains have their own kernels: values of fixed width are tested as ordered {@code long}
 * keys (see {@link OrderedKeys}); strings, binary and decimals of more than 18 digits as bytes. Any
 * other expression is a {@link CompiledPredicate}. Sets that can be probed but not listed, such as
 * Bloom filters, are a {@link Probed} in the first domain and a {@link BytesPredicate.Probe} in the
 * second.
 */
public sealed interface ColumnPredicate extends Serializable
    permits ColumnPredicate.Longs,
        ColumnPredicate.Bytes,
        ColumnPredicate.Probed,
        CompiledPredicate {

  /** Whether a row whose value is null passes. */
  boolean nullPasses();

  /** Whether every value passes, regardless of null; false if unknown. */
  default boolean allValuesPass() {
    return false;
  }

  /** Whether no value passes, regardless of null; false if unknown. */
  default boolean noValuePasses() {
    return false;
  }

  /** Whether every value with an ordered key in {@code [min, max]} passes; false if unknown. */
  default boolean covers(long min, long max) {
    return false;
  }

  /**
   * Whether no value with an ordered key in {@code [min, max]} passes; false if unknown, and for an
   * empty interval: bounds that contradict each other say nothing.
   */
  default boolean isDisjoint(long min, long max) {
    return false;
  }

  /** As {@link #isDisjoint(long, long)}, of byte strings in unsigned order. */
  default boolean isDisjoint(byte[] min, byte[] max) {
    return false;
  }

  /** A cursor that tests values with its own buffers, for one thread. */
  PredicateCursor cursor();

  /** Passes rows that pass both. The two must be of one domain. */
  ColumnPredicate and(ColumnPredicate that);

  /** Passes rows that pass at least one. The two must be of one domain. */
  ColumnPredicate or(ColumnPredicate that);

  /** A predicate over ordered keys: a value passes when its key lies in {@code ranges}. */
  record Longs(boolean nullPasses, LongRanges ranges) implements ColumnPredicate {
    @Override
    public PredicateCursor cursor() {
      return new PredicateCursor.Longs(this);
    }

    @Override
    public boolean allValuesPass() {
      return ranges.isAll();
    }

    @Override
    public boolean noValuePasses() {
      return ranges.isNone();
    }

    @Override
    public boolean covers(long min, long max) {
      return ranges.covers(min, max);
    }

    @Override
    public boolean isDisjoint(long min, long max) {
      return min <= max && ranges.isDisjoint(min, max);
    }

    @Override
    public ColumnPredicate and(ColumnPredicate that) {
      Longs o = (Longs) that;
      return new Longs(nullPasses && o.nullPasses, ranges.intersect(o.ranges));
    }

    @Override
    public ColumnPredicate or(ColumnPredicate that) {
      Longs o = (Longs) that;
      return new Longs(nullPasses || o.nullPasses, ranges.union(o.ranges));
    }
  }

  /** A predicate over byte strings. */
  record Bytes(boolean nullPasses, BytesPredicate predicate) implements ColumnPredicate {
    @Override
    public PredicateCursor cursor() {
      return new PredicateCursor.Bytes(this);
    }

    @Override
    public boolean allValuesPass() {
      return predicate.isAll();
    }

    @Override
    public boolean noValuePasses() {
      return predicate.isNone();
    }

    @Override
    public boolean isDisjoint(byte[] min, byte[] max) {
      return Arrays.compareUnsigned(min, max) <= 0 && predicate.isDisjoint(min, max);
    }

    @Override
    public ColumnPredicate and(ColumnPredicate that) {
      Bytes o = (Bytes) that;
      return new Bytes(nullPasses && o.nullPasses, predicate.and(o.predicate));
    }

    @Override
    public ColumnPredicate or(ColumnPredicate that) {
      Bytes o = (Bytes) that;
      return new Bytes(nullPasses || o.nullPasses, predicate.or(o.predicate));
    }
  }

  /** A predicate over ordered keys, answered by a probe. No null passes. */
  record Probed(LongProbe probe) implements ColumnPredicate {
    @Override
    public PredicateCursor cursor() {
      return new PredicateCursor.Probed(this);
    }

    @Override
    public boolean nullPasses() {
      return false;
    }

    @Override
    public boolean covers(long min, long max) {
      return probe.covers(min, max);
    }

    @Override
    public boolean isDisjoint(long min, long max) {
      return min <= max && probe.isDisjoint(min, max);
    }

    @Override
    public ColumnPredicate and(ColumnPredicate that) {
      throw new UnsupportedOperationException("a probe is a scan filter of its own");
    }

    @Override
    public ColumnPredicate or(ColumnPredicate that) {
      return and(that);
    }
  }
}
