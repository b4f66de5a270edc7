// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.util.Arrays;
import latebloom.read.selection.SelectionBitmap;

/**
 * Looks up keys in a set of intervals: one class per shape, chosen once per set, so that each loop
 * is monomorphic.
 *
 * <p>The loops have no branch that depends on a value: each writes its index and advances by the
 * test's 0 or 1. A branch would be mispredicted about as often as rows pass, at several times the
 * cost of the test itself.
 *
 * <p>A set that is open at both ends, as of {@code <>} and NOT IN, is represented by its
 * complement, which is bounded: {@code flip} is then 1.
 */
abstract sealed class LongRangesKernel {
  /** Most intervals to test one after the other. */
  private static final int FEW = 8;

  /** A bitmap of so many keys (8 KiB) stays in the first-level cache beside the values. */
  private static final long SMALL_WINDOW = 1L << 16;

  /** Most keys of a bitmap or hash table, whatever the number of intervals. */
  private static final long MOST_KEYS = 1L << 26;

  /** A hash table of up to so many keys (8 MiB) is at most a quarter full, a larger one half. */
  private static final int ROOMY_KEYS = 1 << 17;

  abstract boolean contains(long key);

  abstract int filter(long[] values, int n, int[] out);

  static LongRangesKernel of(long[] lo, long[] hi) {
    int n = lo.length;
    if (n == 0) {
      return new Constant(false);
    }
    if (lo[0] != Long.MIN_VALUE || hi[n - 1] != Long.MAX_VALUE) {
      return of(lo, hi, 0);
    }
    if (n == 1) {
      return new Constant(true);
    }
    long[] gapLo = new long[n - 1];
    long[] gapHi = new long[n - 1];
    for (int i = 0; i < n - 1; i++) {
      gapLo[i] = hi[i] + 1;
      gapHi[i] = lo[i + 1] - 1;
    }
    return of(gapLo, gapHi, 1);
  }

  private static LongRangesKernel of(long[] lo, long[] hi, int flip) {
    int n = lo.length;
    if (n == 1) {
      return new One(lo[0], hi[0], flip);
    }
    // Unsigned differences within the set do not overflow; a span of 2^63 or more is negative and
    // so never small.
    long span = hi[n - 1] - lo[0];
    if (span >= 0 && span < Math.min(MOST_KEYS, Math.max(SMALL_WINDOW, 128L * n))) {
      return new Window(lo, hi, flip);
    }
    if (n <= FEW) {
      return new Few(lo, hi, flip);
    }
    long keys = keys(lo, hi, 4L * n);
    return keys <= 4L * n ? new Points(lo, hi, (int) keys, flip) : new Many(lo, hi, flip);
  }

  /** The number of keys in the set; any number above {@code most} if there are more. */
  private static long keys(long[] lo, long[] hi, long most) {
    long keys = 0;
    for (int i = 0; i < lo.length && keys <= most; i++) {
      long width = hi[i] - lo[i];
      if (width < 0 || width > most) {
        return most + 1;
      }
      keys += width + 1;
    }
    return keys;
  }

  /** 1 if {@code key} lies in {@code [lo, lo + width]}, else 0. */
  private static int within(long key, long lo, long width) {
    return Long.compareUnsigned(key - lo, width) <= 0 ? 1 : 0;
  }

  /** No key, or every key. */
  private static final class Constant extends LongRangesKernel {
    private final boolean all;

    Constant(boolean all) {
      this.all = all;
    }

    @Override
    boolean contains(long key) {
      return all;
    }

    @Override
    int filter(long[] values, int n, int[] out) {
      if (!all) {
        return 0;
      }
      for (int i = 0; i < n; i++) {
        out[i] = i;
      }
      return n;
    }
  }

  /** One interval. */
  private static final class One extends LongRangesKernel {
    private final long lo;
    private final long width;
    private final int flip;

    One(long lo, long hi, int flip) {
      this.lo = lo;
      this.width = hi - lo;
      this.flip = flip;
    }

    @Override
    boolean contains(long key) {
      return within(key, lo, width) != flip;
    }

    @Override
    int filter(long[] values, int n, int[] out) {
      int k = 0;
      for (int i = 0; i < n; i++) {
        out[k] = i;
        k += within(values[i], lo, width) ^ flip;
      }
      return k;
    }
  }

  /** Two to eight intervals. */
  private static final class Few extends LongRangesKernel {
    private final long[] lo;
    private final long[] width;
    private final int flip;

    Few(long[] lo, long[] hi, int flip) {
      this.lo = lo;
      this.width = new long[lo.length];
      for (int i = 0; i < lo.length; i++) {
        width[i] = hi[i] - lo[i];
      }
      this.flip = flip;
    }

    private static int inside(long key, long[] lo, long[] width) {
      int inside = 0;
      for (int i = 0; i < lo.length; i++) {
        inside |= within(key, lo[i], width[i]);
      }
      return inside;
    }

    @Override
    boolean contains(long key) {
      return inside(key, lo, width) != flip;
    }

    @Override
    int filter(long[] values, int n, int[] out) {
      int k = 0;
      for (int i = 0; i < n; i++) {
        out[k] = i;
        k += inside(values[i], lo, width) ^ flip;
      }
      return k;
    }
  }

  /** Any number of intervals that lie close together: one bit per key. */
  private static final class Window extends LongRangesKernel {
    private final long base;

    /** The bit after the last key of the set: a zero, where keys outside are looked up. */
    private final long outside;

    private final long[] bits;
    private final int flip;

    Window(long[] lo, long[] hi, int flip) {
      base = lo[0];
      outside = hi[hi.length - 1] - base + 1;
      bits = new long[(int) (outside >>> 6) + 1];
      for (int i = 0; i < lo.length; i++) {
        SelectionBitmap.fill(bits, (int) (lo[i] - base), (int) (hi[i] - base) + 1);
      }
      this.flip = flip;
    }

    private static int inside(long key, long base, long outside, long[] bits) {
      long bit = key - base;
      bit = Long.compareUnsigned(bit, outside) < 0 ? bit : outside;
      return (int) (bits[(int) (bit >>> 6)] >>> bit) & 1;
    }

    @Override
    boolean contains(long key) {
      return inside(key, base, outside, bits) != flip;
    }

    @Override
    int filter(long[] values, int n, int[] out) {
      int k = 0;
      for (int i = 0; i < n; i++) {
        out[k] = i;
        k += inside(values[i], base, outside, bits) ^ flip;
      }
      return k;
    }
  }

  /**
   * Many single keys: an open-addressing hash table. The check for a taken slot is the only branch
   * that depends on the value; a table that is a quarter full takes half the time of one that is
   * half full.
   */
  private static final class Points extends LongRangesKernel {
    private final long[] table;
    private final int shift;

    /** Marks a free slot: a key that is not in the set. */
    private final long free;

    private final int flip;

    Points(long[] lo, long[] hi, int keys, int flip) {
      int bits = (keys <= ROOMY_KEYS ? 34 : 33) - Integer.numberOfLeadingZeros(keys);
      table = new long[1 << bits];
      shift = 64 - bits;
      // A further interval follows, so the key after the first one lies in the gap between them.
      free = hi[0] + 1;
      Arrays.fill(table, free);
      for (int i = 0; i < lo.length; i++) {
        for (long key = lo[i]; ; key++) {
          table[slot(key, table, shift, free)] = key;
          if (key == hi[i]) {
            break;
          }
        }
      }
      this.flip = flip;
    }

    /** The slot of {@code key}, or the free slot where it would be. */
    private static int slot(long key, long[] table, int shift, long free) {
      int slot = (int) (key * 0x9E3779B97F4A7C15L >>> shift);
      while (table[slot] != key && table[slot] != free) {
        slot = slot + 1 & table.length - 1;
      }
      return slot;
    }

    private static int inside(long key, long[] table, int shift, long free) {
      return table[slot(key, table, shift, free)] == key & key != free ? 1 : 0;
    }

    @Override
    boolean contains(long key) {
      return inside(key, table, shift, free) != flip;
    }

    @Override
    int filter(long[] values, int n, int[] out) {
      int k = 0;
      for (int i = 0; i < n; i++) {
        out[k] = i;
        k += inside(values[i], table, shift, free) ^ flip;
      }
      return k;
    }
  }

  /** Many wide intervals: a binary search in which every step is a conditional move. */
  private static final class Many extends LongRangesKernel {
    private final long[] lo;
    private final long[] width;
    private final int flip;

    Many(long[] lo, long[] hi, int flip) {
      // Repeats the last interval up to a power of two, so that no step needs a bounds check.
      int n = lo.length;
      int padded = Integer.highestOneBit(n - 1) << 1;
      this.lo = Arrays.copyOf(lo, padded);
      Arrays.fill(this.lo, n, padded, lo[n - 1]);
      width = new long[padded];
      for (int i = 0; i < padded; i++) {
        width[i] = hi[Math.min(i, n - 1)] - this.lo[i];
      }
      this.flip = flip;
    }

    private static int inside(long key, long[] lo, long[] width) {
      int at = 0;
      for (int step = lo.length >>> 1; step > 0; step >>>= 1) {
        at = lo[at + step] <= key ? at + step : at;
      }
      return within(key, lo[at], width[at]);
    }

    @Override
    boolean contains(long key) {
      return inside(key, lo, width) != flip;
    }

    @Override
    int filter(long[] values, int n, int[] out) {
      int k = 0;
      for (int i = 0; i < n; i++) {
        out[k] = i;
        k += inside(values[i], lo, width) ^ flip;
      }
      return k;
    }
  }
}
