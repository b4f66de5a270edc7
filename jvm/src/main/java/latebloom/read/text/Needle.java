// SPDX-License-Identifier: Apache-2.0
package latebloom.read.text;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A byte string to search for in others.
 *
 * <p>The search tests eight starting positions at a time and skips those where the first or the
 * last byte of the needle differs, with a handful of operations on longs and no branch per byte
 * (the filter of W. Muła's "SIMD-friendly algorithms for substring searching", with a long for the
 * vector). It compares the rare remaining positions in full.
 */
final class Needle implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final long LOW_BITS = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x8080808080808080L;

  private final byte[] bytes;
  private final int length;

  /** The first eight bytes, with zeros after the end. */
  private final long head;

  /** The first byte, and the last one, repeated eight times. */
  private final long first;

  private final long last;

  /** A needle of a copy of {@code bytes}. */
  Needle(byte[] bytes) {
    this.bytes = bytes.clone();
    length = bytes.length;
    head = ByteStrings.head(bytes, 0, length);
    first = length == 0 ? 0 : (bytes[0] & 0xff) * LOW_BITS;
    last = length == 0 ? 0 : (bytes[length - 1] & 0xff) * LOW_BITS;
  }

  int length() {
    return length;
  }

  byte[] bytes() {
    return bytes.clone();
  }

  /** Whether the string of {@code length} bytes at {@code offset} equals the needle. */
  boolean is(byte[] data, int offset, int length) {
    return length == this.length && at(data, offset);
  }

  /** Whether the needle occurs at {@code offset}, where the data has room for it. */
  boolean at(byte[] data, int offset) {
    return ByteStrings.head(data, offset, length) == head
        && (length <= 8 || Arrays.equals(data, offset + 8, offset + length, bytes, 8, length));
  }

  /** The first position in {@code [from, to)} of the whole needle, or -1. */
  int find(byte[] data, int from, int to) {
    int stop = to - length;
    if (length == 0 || stop < from) {
      return stop < from ? -1 : from;
    }
    int start = from;
    int reach = length - 1;
    int inside = data.length - reach - 8;
    for (; start <= stop && start <= inside; start += 8) {
      long differing =
          (ByteStrings.load(data, start) ^ first) | (ByteStrings.load(data, start + reach) ^ last);
      // Sets the highest bit of each zero byte and, rarely, of a byte of one above a zero byte.
      long fits = differing - LOW_BITS & ~differing & HIGH_BITS;
      while (fits != 0) {
        int found = start + (Long.numberOfTrailingZeros(fits) >>> 3);
        if (found > stop) {
          return -1;
        }
        if (at(data, found)) {
          return found;
        }
        fits &= fits - 1;
      }
    }
    // At most the last few places before the end of the array.
    for (; start <= stop; start++) {
      if (at(data, start)) {
        return start;
      }
    }
    return -1;
  }

  /**
   * {@link BytesPredicate.Cursor#filter} for a predicate that passes only strings with the needle:
   * searches all strings at once and tests only those with a match. A search per string would spend
   * most of its time on starting.
   */
  int filter(
      byte[] data, int[] offsets, int[] lengths, int n, int[] out, BytesPredicate.Cursor test) {
    int k = 0;
    if (!sideBySide(offsets, lengths, n)) {
      for (int i = 0; i < n; i++) {
        if (find(data, offsets[i], offsets[i] + lengths[i]) >= 0
            && test.test(data, offsets[i], lengths[i])) {
          out[k++] = i;
        }
      }
      return k;
    }
    int end = offsets[n - 1] + lengths[n - 1];
    int i = 0;
    int at = find(data, offsets[0], end);
    while (at >= 0) {
      while (i < n && offsets[i] + lengths[i] < at + length) {
        i++;
      }
      if (i == n) {
        break;
      }
      // String i is the first to end after the match, which may begin before it, in a gap.
      if (at >= offsets[i]) {
        if (test.test(data, offsets[i], lengths[i])) {
          out[k++] = i;
        }
        i++;
      }
      at = i < n ? find(data, Math.max(at + 1, offsets[i]), end) : -1;
    }
    return k;
  }

  /** Whether strings are adjacent, with gaps that are not worth avoiding. */
  private static boolean sideBySide(int[] offsets, int[] lengths, int n) {
    if (n == 0) {
      return false;
    }
    long gaps = 0;
    long total = lengths[0];
    for (int i = 1; i < n; i++) {
      int gap = offsets[i] - offsets[i - 1] - lengths[i - 1];
      if (gap < 0) {
        return false;
      }
      gaps += gap;
      total += lengths[i];
    }
    // PLAIN pages have a gap of four bytes, the next string's length.
    return gaps <= 4L * n + total / 2;
  }

  @Override
  public String toString() {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
