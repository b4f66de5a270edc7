// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.io.Serializable;
import java.util.Arrays;

/**
 * A set of {@code long} keys (see {@link OrderedKeys}). Immutable.
 *
 * <p>The set is a list of closed intervals {@code [lo[i], hi[i]]}, ascending, none empty, with at
 * least one key between neighbours, so that equal sets have equal lists. {@link LongRangesKernel}
 * chooses the lookup by the shape of the set.
 */
public final class LongRanges implements Serializable {
  private static final long serialVersionUID = 1L;

  public static final LongRanges NONE = new LongRanges(new long[0], new long[0]);
  private static final LongRanges ALL =
      new LongRanges(new long[] {Long.MIN_VALUE}, new long[] {Long.MAX_VALUE});

  private final long[] lo;
  private final long[] hi;
  private final transient LongRangesKernel kernel;

  private LongRanges(long[] lo, long[] hi) {
    this.lo = lo;
    this.hi = hi;
    this.kernel = LongRangesKernel.of(lo, hi);
  }

  private Object readResolve() {
    return new LongRanges(lo, hi);
  }

  public static LongRanges none() {
    return NONE;
  }

  public static LongRanges all() {
    return ALL;
  }

  /** The keys of {@code [lo, hi]}; none if {@code lo > hi}. */
  public static LongRanges of(long lo, long hi) {
    return lo > hi ? NONE : new LongRanges(new long[] {lo}, new long[] {hi});
  }

  /** Exactly these keys, in any order, repeated or not. */
  public static LongRanges ofPoints(long... points) {
    long[] sorted = points.clone();
    Arrays.sort(sorted);
    Merger merger = new Merger(sorted.length);
    for (long point : sorted) {
      merger.add(point, point);
    }
    return merger.merged();
  }

  public static LongRanges atLeast(long lo) {
    return of(lo, Long.MAX_VALUE);
  }

  public static LongRanges atMost(long hi) {
    return of(Long.MIN_VALUE, hi);
  }

  public static LongRanges greaterThan(long key) {
    return key == Long.MAX_VALUE ? NONE : atLeast(key + 1);
  }

  public static LongRanges lessThan(long key) {
    return key == Long.MIN_VALUE ? NONE : atMost(key - 1);
  }

  public LongRanges union(LongRanges that) {
    Merger merger = new Merger(lo.length + that.lo.length);
    int i = 0;
    int j = 0;
    while (i < lo.length || j < that.lo.length) {
      if (j == that.lo.length || i < lo.length && lo[i] <= that.lo[j]) {
        merger.add(lo[i], hi[i++]);
      } else {
        merger.add(that.lo[j], that.hi[j++]);
      }
    }
    return merger.merged();
  }

  public LongRanges intersect(LongRanges that) {
    Merger merger = new Merger(lo.length + that.lo.length);
    for (int i = 0, j = 0; i < lo.length && j < that.lo.length; ) {
      long from = Math.max(lo[i], that.lo[j]);
      long to = Math.min(hi[i], that.hi[j]);
      if (from <= to) {
        merger.add(from, to);
      }
      if (hi[i] < that.hi[j]) {
        i++;
      } else {
        j++;
      }
    }
    return merger.merged();
  }

  public LongRanges complement() {
    Merger gaps = new Merger(lo.length + 1);
    long from = Long.MIN_VALUE;
    for (int i = 0; i < lo.length; i++) {
      if (from < lo[i]) {
        gaps.add(from, lo[i] - 1);
      }
      if (hi[i] == Long.MAX_VALUE) {
        return gaps.merged();
      }
      from = hi[i] + 1;
    }
    gaps.add(from, Long.MAX_VALUE);
    return gaps.merged();
  }

  public boolean isNone() {
    return lo.length == 0;
  }

  public boolean isAll() {
    return lo.length == 1 && lo[0] == Long.MIN_VALUE && hi[0] == Long.MAX_VALUE;
  }

  public boolean contains(long key) {
    return kernel.contains(key);
  }

  /**
   * Writes the indexes below {@code n} whose value is in the set, ascending, to the front of {@code
   * out}, which holds at least {@code n}; returns how many it wrote. The rest of {@code out} is
   * undefined.
   */
  public int filter(long[] values, int n, int[] out) {
    return kernel.filter(values, n, out);
  }

  /** Whether no key of {@code [min, max]}, which is not empty, is in the set. */
  public boolean isDisjoint(long min, long max) {
    int i = intervalEndingFrom(min);
    return i == lo.length || lo[i] > max;
  }

  /** Whether each key of {@code [min, max]}, which is not empty, is in the set. */
  public boolean covers(long min, long max) {
    int i = intervalEndingFrom(min);
    return i < lo.length && lo[i] <= min && max <= hi[i];
  }

  /** The first interval that ends at or after {@code key}; the number of intervals if none does. */
  private int intervalEndingFrom(long key) {
    int i = Arrays.binarySearch(hi, key);
    return i < 0 ? -i - 1 : i;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LongRanges that
        && Arrays.equals(lo, that.lo)
        && Arrays.equals(hi, that.hi);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(lo) + Arrays.hashCode(hi);
  }

  /** For example {@code ..-1, 5, 7..9, 20..}. */
  @Override
  public String toString() {
    if (isNone()) {
      return "none";
    }
    if (isAll()) {
      return "all";
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < lo.length; i++) {
      if (i > 0) {
        text.append(", ");
      }
      if (i == 16) {
        return text.append("… (").append(lo.length).append(" ranges)").toString();
      }
      if (lo[i] == hi[i]) {
        text.append(lo[i]);
      } else {
        text.append(lo[i] == Long.MIN_VALUE ? "" : lo[i]).append("..");
        text.append(hi[i] == Long.MAX_VALUE ? "" : hi[i]);
      }
    }
    return text.toString();
  }

  /** Takes intervals in ascending order of {@code lo} and merges those that overlap or touch. */
  private static final class Merger {
    private final long[] lo;
    private final long[] hi;
    private int n;

    Merger(int capacity) {
      lo = new long[capacity];
      hi = new long[capacity];
    }

    void add(long from, long to) {
      // from - 1 cannot overflow here: an earlier interval begins before it.
      if (n > 0 && (from <= hi[n - 1] || from - 1 == hi[n - 1])) {
        hi[n - 1] = Math.max(hi[n - 1], to);
      } else {
        lo[n] = from;
        hi[n++] = to;
      }
    }

    LongRanges merged() {
      return n == 0 ? NONE : new LongRanges(Arrays.copyOf(lo, n), Arrays.copyOf(hi, n));
    }
  }
}
