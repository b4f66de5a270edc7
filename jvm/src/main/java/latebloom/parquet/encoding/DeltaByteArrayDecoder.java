// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import java.util.Arrays;
import latebloom.read.task.RunningTask;
import latebloom.read.vector.StringValues;

/**
 * Decodes DELTA_BYTE_ARRAY: for each value, the length of the prefix that it shares with the one
 * before (delta-coded), then all suffixes as {@link DeltaLengthByteArrayDecoder} reads them.
 *
 * <pre>
 *   values     axis   axle   axel   babble
 *   prefixes   0      2      2      0
 *   suffixes   axis   le     el     babble
 * </pre>
 *
 * A wanted value is assembled back to front: its own suffix, then from each value before it the
 * bytes that all later ones share, until none are missing. So an unwanted value costs no copy but
 * of the bytes that a wanted one shares with it. Lengths are read by windows; the last value of a
 * window is always assembled, as the next may build on it.
 */
final class DeltaByteArrayDecoder implements StringValues {
  private static final int WINDOW = 512;

  /** Bytes after the data that a short copy may overwrite. */
  private static final int SLACK = 16;

  private final byte[] source;
  private final int end;
  private final int fixed;
  private final DeltaBinaryPackedDecoder prefixes;
  private final DeltaBinaryPackedDecoder suffixes;

  private final long[] prefix = new long[WINDOW];
  private final long[] suffix = new long[WINDOW];
  private final int[] suffixAt = new int[WINDOW];
  private final int count;
  private int windowStart;
  private int windowEnd;
  private int nextSuffix;

  /** Length of the last value of the window. */
  private long lastLength;

  /** The value assembled last, in {@code data}, and its index. */
  private byte[] data = {};

  private int builtIndex = -1;
  private int builtAt;
  private int builtLength;

  /**
   * @param count values that the page must hold
   * @param fixed bytes that each value must have; -1 for any number
   */
  DeltaByteArrayDecoder(Bytes bytes, int count, int fixed) {
    this.source = bytes.array();
    this.end = bytes.end();
    this.fixed = fixed;
    this.count = count;
    this.prefixes = new DeltaBinaryPackedDecoder(bytes, count, true);
    int from = prefixes.sectionEnd();
    this.suffixes = new DeltaBinaryPackedDecoder(new Bytes(source, from, end - from), count, true);
    this.nextSuffix = suffixes.sectionEnd();
  }

  /**
   * Throws if a value shares more bytes than the one before it has: what else it shares is in no
   * page.
   *
   * @param count values of the page
   * @param lastLength length in bytes of the last value of the page before, on which the first may
   *     build
   * @return the length of the last value
   */
  static long check(Bytes bytes, int count, long lastLength) {
    DeltaByteArrayDecoder decoder = new DeltaByteArrayDecoder(bytes, count, -1);
    decoder.lastLength = lastLength;
    while (decoder.windowEnd < count) {
      RunningTask.checkNotKilled();
      decoder.readWindow();
    }
    return decoder.lastLength;
  }

  @Override
  public byte[] data() {
    return data;
  }

  @Override
  public void locate(int[] indexes, int n, int[] offsets, int[] lengths) {
    System.arraycopy(data, builtAt, data, 0, builtLength);
    builtAt = 0;
    int used = 0;
    int i = 0;
    while (i < n) {
      while (indexes[i] >= windowEnd) {
        if (windowEnd > 0 && builtIndex != windowEnd - 1) {
          build(windowEnd - 1, used);
        }
        readWindow();
      }
      for (; i < n && indexes[i] < windowEnd; i++) {
        used = build(indexes[i], used);
        offsets[i] = builtAt;
        lengths[i] = builtLength;
      }
    }
  }

  private void readWindow() {
    int k = Math.min(WINDOW, count - windowEnd);
    if (k == 0) {
      throw new CorruptPageException("the page ends before its last string");
    }
    prefixes.next(k, prefix, 0);
    suffixes.next(k, suffix, 0);
    windowStart = windowEnd;
    windowEnd += k;
    long before = lastLength;
    for (int i = 0; i < k; i++) {
      long shared = prefix[i];
      long rest = suffix[i];
      if (shared < 0 || shared > before || rest < 0 || rest > end - nextSuffix) {
        throw new CorruptPageException(
            "a string that shares "
                + shared
                + " bytes with one of "
                + before
                + " and has "
                + rest
                + " more, where "
                + (end - nextSuffix)
                + " remain");
      }
      suffixAt[i] = nextSuffix;
      nextSuffix += (int) rest;
      before = shared + rest;
      if (fixed >= 0 && before != fixed) {
        throw new CorruptPageException("a value of " + before + " bytes instead of " + fixed);
      }
    }
    lastLength = before;
  }

  /**
   * Assembles the value at {@code index} at {@code at} of the data; returns its end. The value
   * assembled last may begin there too: their shared bytes are then already in place.
   */
  private int build(int index, int at) {
    int i = index - windowStart;
    int missing = (int) prefix[i];
    int length = missing + (int) suffix[i];
    if (length > data.length - at - SLACK) {
      grow(at, length);
    }
    if (index == builtIndex + 1) {
      // Adjacent values: copy front to back, as a short copy overwrites the bytes after it.
      if (at != builtAt) {
        copy(data, builtAt, at, missing);
      }
      copy(source, suffixAt[i], at + missing, length - missing);
      builtIndex = index;
      builtAt = at;
      builtLength = length;
      return at + length;
    }
    System.arraycopy(source, suffixAt[i], data, at + missing, length - missing);
    int first = Math.max(builtIndex + 1, windowStart) - windowStart;
    for (int j = i - 1; j >= first && missing > 0; j--) {
      int kept = (int) prefix[j];
      if (kept < missing) {
        System.arraycopy(source, suffixAt[j], data, at + kept, missing - kept);
        missing = kept;
      }
    }
    System.arraycopy(data, builtAt, data, at, missing);
    builtIndex = index;
    builtAt = at;
    builtLength = length;
    return at + length;
  }

  /** Copies into the data; up to 16 bytes in two moves, which beats a call by far. */
  private void copy(byte[] from, int fromAt, int to, int n) {
    if (n <= SLACK && fromAt <= from.length - SLACK) {
      long head = Bytes.longAt(from, fromAt);
      long tail = Bytes.longAt(from, fromAt + 8);
      Bytes.putLong(data, to, head);
      Bytes.putLong(data, to + 8, tail);
    } else {
      System.arraycopy(from, fromAt, data, to, n);
    }
  }

  private void grow(int used, int more) {
    data =
        Arrays.copyOf(data, CheckedSizes.grown((long) used + more + SLACK, "a block of strings"));
  }
}
