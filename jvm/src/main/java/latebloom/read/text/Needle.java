// SPDX-License-Identifier: Apache-2.0
package latebloom.read.text;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A byte string to look for in others.
 *
 * <p>The search looks at eight starting positions at a time and passes over those where the first
 * or the last byte of the needle does not fit, with a handful of operations on longs and no branch
 * a byte (the filter of W. Muła's "SIMD-friendly algorithms for substring searching", with a long
 * for the vector). What is left over is compared; there is seldom anything.
 */
final class Needle implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final long LOW_BITS = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x8080808080808080L;

  private final byte[] bytes;
  private final int length;

  /** The first eight bytes, with zeros after the end. */
  private final long head;

  /** The first byte, and the last one, in all eight places. */
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

  /** Whether the string of {@code length} bytes at {@code offset} is this one. */
  boolean is(byte[] data, int offset, int length) {
    return length == this.length && at(data, offset);
  }

  /** Whether the needle's bytes stand at {@code offset}, where the data has room for them. */
  boolean at(byte[] data, int offset) {
    return ByteStrings.head(data, offset, length) == head
        && (length <= 8 || Arrays.equals(data, offset + 8, offset + length, bytes, 8, length));
  }

  /** The first place in {@code [from, to)} where the whole needle stands, or -1. */
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
      // The highest bit of each byte that is zero; and, rarely, of a byte of one above such a byte.
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
   * {@link BytesPredicate.Cursor#filter} for a predicate that only strings with the needle in them
   * can pass: the search runs over all of the strings at once, and only those that it stops at are
   * tested. A search that starts anew in each short string would spend most of its time on
   * starting.
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
      // String i is the first to end after what was found; that may begin before it, in a gap.
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

  /** Whether strings follow each other with gaps that are not worth going around. */
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
