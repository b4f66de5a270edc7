// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

import latebloom.read.selection.Selection;

/**
 * Maps the rows of a page or a stride to their values.
 *
 * <pre>
 *   row            0  1  2  3  4  5
 *   null                 x     x         valid: bits 0 1 3 5
 *   value index    0  1     2     3      rank: valid rows before this one
 * </pre>
 */
public final class ValidRows {
  private final long[] valid;

  /** Valid rows before each word. */
  private final int[] rank;

  private final int count;

  /**
   * @param valid bit set of the rows that are not null, without any bit past the last row; owned
   */
  public ValidRows(long[] valid) {
    this.valid = valid;
    this.rank = new int[valid.length];
    int before = 0;
    for (int w = 0; w < valid.length; w++) {
      rank[w] = before;
      before += Long.bitCount(valid[w]);
    }
    this.count = before;
  }

  /** How many rows have a value. */
  public int count() {
    return count;
  }

  public boolean isNull(int row) {
    return (valid[row >>> 6] >>> row & 1) == 0;
  }

  /** Index of a row's value; of a null row, that of the next value. */
  public int valueIndex(int row) {
    int w = row >>> 6;
    return rank[w] + Long.bitCount(valid[w] & (1L << row) - 1);
  }

  /** The first row of {@code [row, end)} that is not null; {@code end} if all are. */
  public int endOfNulls(int row, int end) {
    if (row == end) {
      return end;
    }
    int last = end - 1 >>> 6;
    int w = row >>> 6;
    long bits = valid[w] & -1L << row;
    while (bits == 0 && w < last) {
      bits = valid[++w];
    }
    return bits == 0 ? end : Math.min(end, (w << 6) + Long.numberOfTrailingZeros(bits));
  }

  /** 1 for a row that is not null, else 0. */
  public int validBit(int row) {
    return (int) (valid[row >>> 6] >>> row & 1);
  }

  /** A bit for each of {@code rows[from, from + n)}, at most 64: whether it is null. */
  public long nullBits(int[] rows, int from, int n) {
    long bits = 0;
    for (int i = 0; i < n; i++) {
      bits |= (validBit(rows[from + i]) ^ 1L) << i;
    }
    return bits;
  }

  /**
   * Writes the value indexes of the non-null rows among {@code rows[0, n)}.
   *
   * @return how many are not null
   */
  public int valueIndexes(int[] rows, int n, int[] out) {
    int first = rows[0];
    int last = rows[n - 1];
    int v = 0;
    if (last - first == n - 1) {
      int from = valueIndex(first);
      int to = valueIndex(last) + validBit(last);
      while (from + v < to) {
        out[v] = from + v;
        v++;
      }
      return v;
    }
    for (int i = 0; i < n; i++) {
      out[v] = valueIndex(rows[i]);
      v += validBit(rows[i]);
    }
    return v;
  }

  /**
   * Separates null rows from the others.
   *
   * @param first the page's or stride's first row, in the numbering of {@code rows}
   * @param base added to the indexes
   * @param valid receives the rows that are not null
   * @param indexes receives their value indexes
   * @param nulls receives the null rows; may be null
   * @return how many are not null
   */
  public int part(
      int[] rows, int n, int first, int base, int[] valid, int[] indexes, Selection.Builder nulls) {
    int v = 0;
    for (int i = 0; i < n; i++) {
      int row = rows[i] - first;
      if (!isNull(row)) {
        valid[v] = rows[i];
        indexes[v++] = base + valueIndex(row);
      } else if (nulls != null) {
        nulls.add(rows[i]);
      }
    }
    return v;
  }
}
