// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import latebloom.read.vector.StringValues;

/**
 * Decodes DELTA_LENGTH_BYTE_ARRAY: the lengths of all values, delta-coded, then their bytes. Reads
 * lengths by windows, only up to the last wanted value, so that memory does not grow with the
 * number of values that a page claims.
 */
final class DeltaLengthByteArrayDecoder implements StringValues {
  private static final int WINDOW = 256;

  private final byte[] data;
  private final int end;
  private final DeltaBinaryPackedDecoder packed;
  private final long[] window = new long[WINDOW];

  /** The next value: its index and where it begins. */
  private int next;

  private int at;

  DeltaLengthByteArrayDecoder(Bytes bytes, int count) {
    this.data = bytes.array();
    this.end = bytes.end();
    this.packed = new DeltaBinaryPackedDecoder(bytes, count, true);
    this.at = packed.sectionEnd();
  }

  @Override
  public byte[] data() {
    return data;
  }

  @Override
  public void locate(int[] indexes, int n, int[] offsets, int[] lengths) {
    int i = 0;
    while (i < n) {
      int k = (int) Math.min(WINDOW, indexes[n - 1] - (long) next + 1);
      long bytes = readLengths(k);
      if (indexes[i] - next < k) {
        i = place(indexes, i, n, k, offsets, lengths);
      }
      at += (int) bytes;
      next += k;
    }
  }

  /** Reads the next lengths into the window; returns their sum, which fits the page. */
  private long readLengths(int k) {
    packed.next(k, window, 0);
    long sum = 0;
    long signs = 0;
    for (int i = 0; i < k; i++) {
      signs |= window[i] | Integer.MAX_VALUE - window[i];
      sum += window[i];
    }
    if (signs < 0 || sum > end - at) {
      throw new CorruptPageException(
          k + " strings of " + sum + " bytes in all, where " + (end - at) + " remain");
    }
    return sum;
  }

  /**
   * Writes offsets and lengths of the window's wanted values; returns the next wanted one's index.
   */
  private int place(int[] indexes, int from, int n, int k, int[] offsets, int[] lengths) {
    int i = from;
    int offset = at;
    int index = next;
    int stop = next + k;
    while (i < n && indexes[i] < stop) {
      for (; index < indexes[i]; index++) {
        offset += (int) window[index - next];
      }
      int length = (int) window[index - next];
      offsets[i] = offset;
      lengths[i] = length;
      offset += length;
      index++;
      i++;
    }
    return i;
  }
}
