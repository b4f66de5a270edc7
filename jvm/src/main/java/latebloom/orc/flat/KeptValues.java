// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.flat;

import java.util.Arrays;
import latebloom.read.task.ScanMemory;

/**
 * Keeps the values of the few rows that pass a filter until the same column is read as payload,
 * which saves decompressing its streams again. Rows ascend. Which rows are kept affects speed only:
 * a row that is missing here is decoded.
 */
final class KeptValues {
  /** The most rows and bytes that a column keeps. */
  private static final int MOST_ROWS = 1 << 18;

  private static final int MOST_BYTES = 4 << 20;

  /** Bytes kept for a row besides its string. */
  private static final int ROW_BYTES = Integer.BYTES + Long.BYTES;

  /** Keeping stops once more than one in so many rows passes. */
  private static final int FEW = 8;

  /** Rows to test before that ratio counts. */
  private static final int SAMPLE = 1 << 14;

  private final ScanMemory memory;
  private long tested;
  private boolean ended;
  private int[] rows = new int[64];
  private int count;
  private long[] values;
  private byte[] data = new byte[0];
  private int[] offsets;
  private int[] lengths;
  private int used;

  KeptValues(ScanMemory memory) {
    this.memory = memory;
  }

  /** Counts {@code n} tested rows; whether the passing ones may be kept. */
  boolean mayKeep(int n) {
    tested += n;
    ended |= tested > SAMPLE && (long) count * FEW > tested;
    return !ended;
  }

  private boolean reserve(int firstRow, int n) {
    if (n == 0 || count > 0 && firstRow <= rows[count - 1]) {
      return false;
    }
    ended |= n > MOST_ROWS - count;
    if (!ended && count + n > rows.length) {
      int capacity = Math.max(2 * rows.length, count + n);
      ended = !memory.tryHold((long) (capacity - rows.length) * ROW_BYTES);
      rows = ended ? rows : Arrays.copyOf(rows, capacity);
    }
    return !ended;
  }

  /** Keeps numbers: for each index in {@code passing[0, n)}, its row and its value. */
  void numbers(int[] rowOf, int firstRow, int[] passing, int n, long[] from) {
    if (n == 0 || !reserve(row(rowOf, firstRow, passing[0]), n)) {
      return;
    }
    if (values == null || values.length < rows.length) {
      values = values == null ? new long[rows.length] : Arrays.copyOf(values, rows.length);
    }
    for (int i = 0; i < n; i++) {
      rows[count] = row(rowOf, firstRow, passing[i]);
      values[count++] = from[passing[i]];
    }
  }

  /** As {@link #numbers}, for byte strings. */
  void strings(
      int[] rowOf,
      int firstRow,
      int[] passing,
      int n,
      byte[] from,
      int[] fromOffsets,
      int[] fromLengths) {
    long bytes = used;
    for (int i = 0; i < n; i++) {
      bytes += fromLengths[passing[i]];
    }
    ended |= bytes > MOST_BYTES;
    if (n == 0 || !reserve(row(rowOf, firstRow, passing[0]), n)) {
      return;
    }
    if (offsets == null || offsets.length < rows.length) {
      offsets = offsets == null ? new int[rows.length] : Arrays.copyOf(offsets, rows.length);
      lengths = lengths == null ? new int[rows.length] : Arrays.copyOf(lengths, rows.length);
    }
    if (bytes > data.length) {
      int capacity = (int) Math.max(2L * data.length, bytes);
      if (!memory.tryHold(capacity - data.length)) {
        ended = true;
        return;
      }
      data = Arrays.copyOf(data, capacity);
    }
    for (int i = 0; i < n; i++) {
      int length = fromLengths[passing[i]];
      System.arraycopy(from, fromOffsets[passing[i]], data, used, length);
      rows[count] = row(rowOf, firstRow, passing[i]);
      offsets[count] = used;
      lengths[count++] = length;
      used += length;
    }
  }

  private static int row(int[] rowOf, int firstRow, int index) {
    return rowOf == null ? firstRow + index : rowOf[index];
  }

  /**
   * Finds the positions here of {@code wanted[0, n)}.
   *
   * @return false if one of them is missing
   */
  boolean find(int[] wanted, int n, int[] places) {
    int at = Arrays.binarySearch(rows, 0, count, wanted[0]);
    for (int i = 0; i < n; i++, at++) {
      while (at >= 0 && at < count && rows[at] < wanted[i]) {
        at++;
      }
      if (at < 0 || at >= count || rows[at] != wanted[i]) {
        return false;
      }
      places[i] = at;
    }
    return true;
  }

  /** Copies the numbers at {@code places[from, from + n)}. */
  void numbersAt(int[] places, int from, int n, long[] out) {
    for (int i = 0; i < n; i++) {
      out[i] = values[places[from + i]];
    }
  }

  /** Finds the byte strings at {@code places[from, from + n)} in {@link #data}. */
  void locate(int[] places, int from, int n, int[] toOffsets, int[] toLengths) {
    for (int i = 0; i < n; i++) {
      toOffsets[i] = offsets[places[from + i]];
      toLengths[i] = lengths[places[from + i]];
    }
  }

  byte[] data() {
    return data;
  }
}
