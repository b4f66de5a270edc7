// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.io.Serializable;
import latebloom.read.text.BytesPredicate;

/**
 * What one column must satisfy for a row to pass: a two-valued test of the non-null values, and
 * whether a null passes. Three-valued logic is resolved when the predicate is made: a value passes
 * exactly when the SQL condition is TRUE for it. Immutable, shared by threads: what tests values is
 * a {@link PredicateCursor}.
 *
 * <p>There are two domains with kernels of their own: everything of fixed width is tested as an
 * ordered {@code long} key (see {@link OrderedKeys}), strings, binary and decimals of more than 18
 * digits as bytes. Whatever else Spark can compute is a {@link CompiledPredicate}. Sets that can be
 * asked for a value but not listed, such as Bloom filters, are a {@link Probed} in the first domain
 * and a {@link BytesPredicate.Probe} in the second.
 */
public sealed interface ColumnPredicate extends Serializable
    permits ColumnPredicate.Longs,
        ColumnPredicate.Bytes,
        ColumnPredicate.Probed,
        CompiledPredicate {

  /** Whether a row whose value is null passes. */
  boolean nullPasses();

  /** Whether every value passes, whatever a null does; false if not known. */
  default boolean allValuesPass() {
    return false;
  }

  /** Whether no value passes, whatever a null does; false if not known. */
  default boolean noValuePasses() {
    return false;
  }

  /** Whether every value with an ordered key in {@code [min, max]} passes; false if not known. */
  default boolean covers(long min, long max) {
    return false;
  }

  /** Tests values, with the buffers that it takes: for one thread. */
  PredicateCursor cursor();

  /** Rows that pass both. The two must be of one domain. */
  ColumnPredicate and(ColumnPredicate that);

  /** Rows that pass at least one. The two must be of one domain. */
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

  /** A predicate over ordered keys that only a probe can answer. No null passes. */
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
    public ColumnPredicate and(ColumnPredicate that) {
      throw new UnsupportedOperationException("a probe is a scan filter of its own");
    }

    @Override
    public ColumnPredicate or(ColumnPredicate that) {
      return and(that);
    }
  }
}
