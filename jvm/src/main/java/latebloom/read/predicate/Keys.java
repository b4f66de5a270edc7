// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.util.Arrays;
import latebloom.read.task.RunningTask;

/** Applies predicates to values: makes the keys that they are about, in place, then tests. */
public final class Keys {
  /** More entries of a dictionary than this are tested in parts, between which a kill is obeyed. */
  private static final int PART = 8192;

  private Keys() {}

  /**
   * Filters values of fixed width.
   *
   * @param values overwritten by their keys
   * @param out receives the ascending indexes below {@code n} that pass
   * @return how many pass
   */
  public static int filter(Held held, long[] values, int n, ColumnPredicate predicate, int[] out) {
    if (predicate instanceof CompiledColumn compiled) {
      return filterCompiled(values, n, compiled, out);
    }
    switch (held) {
      case FLOAT -> floats(values, n);
      case DOUBLE -> doubles(values, n);
      default -> {}
    }
    return predicate instanceof ColumnPredicate.Probed probed
        ? probed.probe().filter(values, n, out)
        : ((ColumnPredicate.Longs) predicate).ranges().filter(values, n, out);
  }

  private static int filterCompiled(long[] values, int n, CompiledColumn predicate, int[] out) {
    int m = 0;
    for (int i = 0; i < n; i++) {
      if (i % PART == 0) {
        RunningTask.checkNotKilled();
      }
      out[m] = i;
      m += predicate.test(values[i]) ? 1 : 0;
    }
    return m;
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

  /**
   * Filters byte strings that lie in {@code data}; as {@link #filter}.
   *
   * @param decimals whether they are big-endian decimals rather than text
   */
  public static int filterBytes(
      boolean decimals,
      byte[] data,
      int[] offsets,
      int[] lengths,
      int n,
      ColumnPredicate predicate,
      int[] out) {
    if (n > PART) {
      return filterParts(decimals, data, offsets, lengths, n, predicate, out);
    }
    if (predicate instanceof CompiledColumn compiled) {
      return filterCompiled(data, offsets, lengths, n, compiled, out);
    }
    ColumnPredicate.Bytes bytes = (ColumnPredicate.Bytes) predicate;
    if (!decimals) {
      return bytes.test().filter(data, offsets, lengths, n, out);
    }
    byte[] key = new byte[DecimalKeys.LENGTH];
    int m = 0;
    for (int i = 0; i < n; i++) {
      DecimalKeys.write(data, offsets[i], lengths[i], key, 0);
      out[m] = i;
      m += bytes.test().test(key, 0, key.length) ? 1 : 0;
    }
    return m;
  }

  private static int filterParts(
      boolean decimals,
      byte[] data,
      int[] offsets,
      int[] lengths,
      int n,
      ColumnPredicate predicate,
      int[] out) {
    int[] passing = new int[PART];
    int m = 0;
    for (int from = 0; from < n; from += PART) {
      RunningTask.checkNotKilled();
      int to = Math.min(n, from + PART);
      int[] starts = Arrays.copyOfRange(offsets, from, to);
      int[] sizes = Arrays.copyOfRange(lengths, from, to);
      int passed = filterBytes(decimals, data, starts, sizes, to - from, predicate, passing);
      for (int i = 0; i < passed; i++) {
        out[m++] = from + passing[i];
      }
    }
    return m;
  }

  private static int filterCompiled(
      byte[] data, int[] offsets, int[] lengths, int n, CompiledColumn predicate, int[] out) {
    int m = 0;
    for (int i = 0; i < n; i++) {
      out[m] = i;
      m += predicate.test(data, offsets[i], lengths[i]) ? 1 : 0;
    }
    return m;
  }
}
