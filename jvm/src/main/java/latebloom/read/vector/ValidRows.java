// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

import latebloom.read.selection.Selection;

/**
 * Which rows of a page or a stride have a value, and which value is theirs.
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

  /** How many rows are not null. */
  public int count() {
    return count;
  }

  public boolean isNull(int row) {
    return (valid[row >>> 6] >>> row & 1) == 0;
  }

  /** Index among the values of a row that is not null; of one that is, that of the next. */
  public int valueIndex(int row) {
    int w = row >>> 6;
    return rank[w] + Long.bitCount(valid[w] & (1L << row) - 1);
  }

  /** 1 for a row that is not null, else 0. */
  public int validBit(int row) {
    return (int) (valid[row >>> 6] >>> row & 1);
  }

  /** Which of {@code rows[from, from + n)}, at most 64, are null. */
  public long nullBits(int[] rows, int from, int n) {
    long bits = 0;
    for (int i = 0; i < n; i++) {
      bits |= (validBit(rows[from + i]) ^ 1L) << i;
    }
    return bits;
  }

  /**
   * Writes, of those of {@code rows[0, n)} that are not null, the indexes among the values.
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
   * Parts rows of which some are null.
   *
   * @param first the page's or stride's first row, counted as {@code rows} are
   * @param base added to the indexes
   * @param valid receives the rows that are not null
   * @param indexes receives their indexes among the values
   * @param nulls receives the others; null for nobody
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
