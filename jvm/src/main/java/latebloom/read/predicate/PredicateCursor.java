// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.util.Arrays;
import latebloom.read.task.RunningTask;
import latebloom.read.text.BytesPredicate;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Tests blocks of values of one column by a predicate: converts them to keys in place, then filters
 * the keys. Not thread safe: each scan of a file has one cursor per filter, with its buffers.
 */
public abstract sealed class PredicateCursor {
  /**
   * A larger dictionary is tested in parts of so many entries, between which a killed task ends.
   */
  private static final int PART = 8192;

  private final ColumnPredicate predicate;

  private PredicateCursor(ColumnPredicate predicate) {
    this.predicate = predicate;
  }

  public final ColumnPredicate predicate() {
    return predicate;
  }

  /** Whether a row whose value is null passes. */
  public boolean nullPasses() {
    return predicate.nullPasses();
  }

  /**
   * Filters values of fixed width.
   *
   * @param values overwritten with their keys
   * @param out receives the ascending indexes below {@code n} that pass
   * @return how many pass
   */
  public int filter(VectorType vectorType, long[] values, int n, int[] out) {
    switch (vectorType) {
      case FLOAT -> floats(values, n);
      case DOUBLE -> doubles(values, n);
      default -> {}
    }
    return filterKeys(values, n, out);
  }

  /**
   * Filters byte strings in {@code data}, as {@link #filter}.
   *
   * @param decimals whether they are big-endian decimals rather than text
   */
  public final int filterBytes(
      boolean decimals, byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
    if (n <= PART) {
      return filterPart(decimals, data, offsets, lengths, n, out);
    }
    int[] passing = new int[PART];
    int m = 0;
    for (int from = 0; from < n; from += PART) {
      RunningTask.checkNotKilled();
      int to = Math.min(n, from + PART);
      int[] starts = Arrays.copyOfRange(offsets, from, to);
      int[] sizes = Arrays.copyOfRange(lengths, from, to);
      int passed = filterPart(decimals, data, starts, sizes, to - from, passing);
      for (int i = 0; i < passed; i++) {
        out[m++] = from + passing[i];
      }
    }
    return m;
  }

  int filterKeys(long[] keys, int n, int[] out) {
    throw new IllegalStateException("numbers are not tested by " + predicate);
  }

  int filterPart(boolean decimals, byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
    throw new IllegalStateException("byte strings are not tested by " + predicate);
  }

  private static void floats(long[] values, int n) {
    for (int i = 0; i < n; i++) {
      values[i] = OrderedKeys.ofFloatBits(values[i]);
    }
  }

  private static void doubles(long[] values, int n) {
    for (int i = 0; i < n; i++) {
      values[i] = OrderedKeys.ofDoubleBits(values[i]);
    }
  }

  static final class Longs extends PredicateCursor {
    private final LongRanges ranges;

    Longs(ColumnPredicate.Longs predicate) {
      super(predicate);
      this.ranges = predicate.ranges();
    }

    @Override
    int filterKeys(long[] keys, int n, int[] out) {
      return ranges.filter(keys, n, out);
    }
  }

  static final class Probed extends PredicateCursor {
    private final LongProbe probe;

    Probed(ColumnPredicate.Probed predicate) {
      super(predicate);
      this.probe = predicate.probe();
    }

    @Override
    int filterKeys(long[] keys, int n, int[] out) {
      return probe.filter(keys, n, out);
    }
  }

  static final class Bytes extends PredicateCursor {
    private final BytesPredicate.Cursor strings;
    private final byte[] decimal = new byte[DecimalKeys.LENGTH];

    Bytes(ColumnPredicate.Bytes predicate) {
      super(predicate);
      this.strings = predicate.predicate().cursor();
    }

    boolean test(byte[] bytes) {
      return strings.test(bytes, 0, bytes.length);
    }

    boolean testDecimal(byte[] data, int offset, int length) {
      DecimalKeys.write(data, offset, length, decimal, 0);
      return strings.test(decimal, 0, decimal.length);
    }

    @Override
    int filterPart(boolean decimals, byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      if (!decimals) {
        return strings.filter(data, offsets, lengths, n, out);
      }
      int m = 0;
      for (int i = 0; i < n; i++) {
        out[m] = i;
        m += testDecimal(data, offsets[i], lengths[i]) ? 1 : 0;
      }
      return m;
    }
  }

  /** Passes one value after another to Spark's compiled predicate. */
  public static final class Compiled extends PredicateCursor {
    private final RowPredicate.Cursor rows;
    private final ValueRow row;
    private final boolean mayThrow;
    private Boolean nullPasses;

    Compiled(CompiledPredicate predicate) {
      super(predicate);
      this.rows = predicate.predicate().cursor();
      this.row = new ValueRow(predicate.type());
      this.mayThrow = predicate.mayThrow();
    }

    boolean mayThrow() {
      return mayThrow;
    }

    /** Evaluated on the first call. */
    @Override
    public boolean nullPasses() {
      if (nullPasses == null) {
        nullPasses = rows.test(row.ofNull());
      }
      return nullPasses;
    }

    boolean test(InternalRow value) {
      return rows.test(value);
    }

    /** Whether a value of fixed width passes, by its raw bits: see {@link ValueRow}. */
    public boolean test(long bits) {
      return rows.test(row.of(bits));
    }

    /** Whether text, binary, or a decimal of more than 18 digits passes. */
    public boolean test(byte[] data, int offset, int length) {
      return rows.test(row.of(data, offset, length));
    }

    @Override
    public int filter(VectorType vectorType, long[] values, int n, int[] out) {
      int m = 0;
      for (int i = 0; i < n; i++) {
        if (i % PART == 0) {
          RunningTask.checkNotKilled();
        }
        out[m] = i;
        m += test(values[i]) ? 1 : 0;
      }
      return m;
    }

    @Override
    int filterPart(boolean decimals, byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      int m = 0;
      for (int i = 0; i < n; i++) {
        out[m] = i;
        m += test(data, offsets[i], lengths[i]) ? 1 : 0;
      }
      return m;
    }
  }
}
