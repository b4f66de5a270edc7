// SPDX-License-Identifier: Apache-2.0
package latebloom.read.selection;

import java.util.Arrays;

/**
 * A selection as bits: row r is bit {@code r & 63} of word {@code r >>> 6}. Bits past the last row
 * are zero, and there are more than {@link Selection#maxRuns} runs of ones.
 */
public final class SelectionBitmap extends Selection {
  private final long[] words;

  private SelectionBitmap(int rows, int count, long[] words) {
    super(rows, count);
    this.words = words;
  }

  /** How many words hold one bit per row. */
  static int words(int rows) {
    return (int) ((rows + 63L) >>> 6);
  }

  /**
   * The selection of the bits of {@code words}, which it owns from now on; as runs if these are
   * few.
   */
  static Selection of(int rows, long[] words) {
    int count = 0;
    int runs = 0;
    long previous = 0;
    for (long word : words) {
      count += Long.bitCount(word);
      runs += Long.bitCount(word & ~(word << 1 | previous >>> 63));
      previous = word;
    }
    SelectionBitmap bitmap = new SelectionBitmap(rows, count, words);
    return runs > maxRuns(rows) ? bitmap : bitmap.toRuns(runs);
  }

  private SelectionRuns toRuns(int runs) {
    int[] starts = new int[runs];
    int[] ends = new int[runs];
    int to = 0;
    for (int i = 0; i < runs; i++) {
      starts[i] = nextSelected(to);
      to = nextUnselected(starts[i]);
      ends[i] = to;
    }
    return new SelectionRuns(rows(), starts, ends);
  }

  /** Ones from bit {@code from & 63} up. */
  private static long maskFrom(int from) {
    return -1L << from;
  }

  /** Ones below the bit of {@code to}; all 64 where {@code to} begins a word. */
  private static long maskTo(int to) {
    return -1L >>> -to;
  }

  /** Sets the bits of {@code [from, to)}, which is not empty. */
  public static void fill(long[] words, int from, int to) {
    int first = from >>> 6;
    int last = (to - 1) >>> 6;
    if (first == last) {
      words[first] |= maskFrom(from) & maskTo(to);
    } else {
      words[first] |= maskFrom(from);
      Arrays.fill(words, first + 1, last, -1L);
      words[last] |= maskTo(to);
    }
  }

  @Override
  public int countIn(int from, int to) {
    if (from >= to) {
      return 0;
    }
    int first = from >>> 6;
    int last = (to - 1) >>> 6;
    if (first == last) {
      return Long.bitCount(words[first] & maskFrom(from) & maskTo(to));
    }
    int n = Long.bitCount(words[first] & maskFrom(from));
    for (int i = first + 1; i < last; i++) {
      n += Long.bitCount(words[i]);
    }
    return n + Long.bitCount(words[last] & maskTo(to));
  }

  @Override
  public int nextSelected(int from) {
    if (from >= rows()) {
      return -1;
    }
    int i = from >>> 6;
    long word = words[i] & maskFrom(from);
    while (word == 0) {
      if (++i == words.length) {
        return -1;
      }
      word = words[i];
    }
    return (i << 6) + Long.numberOfTrailingZeros(word);
  }

  @Override
  public int nextUnselected(int from) {
    if (from >= rows()) {
      return rows();
    }
    int i = from >>> 6;
    long word = ~words[i] & maskFrom(from);
    while (word == 0) {
      if (++i == words.length) {
        return rows();
      }
      word = ~words[i];
    }
    return Math.min(rows(), (i << 6) + Long.numberOfTrailingZeros(word));
  }

  @Override
  public int positions(int from, int to, int max, int[] out) {
    if (from >= to || max <= 0) {
      return 0;
    }
    int n = 0;
    int last = (to - 1) >>> 6;
    long mask = maskFrom(from);
    for (int i = from >>> 6; i <= last; i++) {
      long word = words[i] & mask;
      mask = -1L;
      if (i == last) {
        word &= maskTo(to);
      }
      int base = i << 6;
      if (word == -1L && max - n >= 64) {
        for (int k = 0; k < 64; k++) {
          out[n + k] = base + k;
        }
        n += 64;
      } else {
        // The number of iterations is known before the loop, which saves a check of max per row.
        int end = n + Math.min(Long.bitCount(word), max - n);
        while (n < end) {
          out[n++] = base + Long.numberOfTrailingZeros(word);
          word &= word - 1;
        }
        if (n == max) {
          break;
        }
      }
    }
    return n;
  }

  @Override
  public Selection complement() {
    long[] flipped = new long[words.length];
    for (int i = 0; i < words.length; i++) {
      flipped[i] = ~words[i];
    }
    flipped[words.length - 1] &= maskTo(rows());
    return of(rows(), flipped);
  }

  /** The selected rows that lie in one of the runs. */
  Selection within(int[] starts, int[] ends) {
    long[] both = new long[words.length];
    for (int i = 0; i < starts.length; i++) {
      fill(both, starts[i], ends[i]);
    }
    return andInto(both);
  }

  private Selection andInto(long[] both) {
    for (int i = 0; i < words.length; i++) {
      both[i] &= words[i];
    }
    return of(rows(), both);
  }

  @Override
  Selection and(SelectionRuns that) {
    return that.and(this);
  }

  @Override
  Selection and(SelectionBitmap that) {
    return andInto(that.words.clone());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SelectionBitmap that
        && rows() == that.rows()
        && Arrays.equals(words, that.words);
  }

  @Override
  public int hashCode() {
    return 31 * rows() + Arrays.hashCode(words);
  }
}
