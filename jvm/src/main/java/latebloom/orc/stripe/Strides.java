// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import java.util.BitSet;
import latebloom.read.selection.Selection;

/**
 * The strides of a stripe: ranges of equal length, the last one possibly shorter. Without a row
 * index all rows are one stride.
 *
 * @param rows of the stripe
 * @param length rows of a stride; at least 1
 * @param isIndexed whether a row index may have an entry per stride
 */
public record Strides(int rows, int length, boolean isIndexed) {
  /** The most strides that are worth their entries; a longer index is ignored. */
  private static final int MOST = 1 << 16;

  /**
   * The strides of a stripe.
   *
   * @param length rows between two entries of the row index, by the file's footer
   */
  public static Strides of(int rows, int length) {
    boolean indexed = length > 0 && rows / length < MOST;
    return indexed ? new Strides(rows, length, true) : none(rows);
  }

  /** One stride of all rows. */
  public static Strides none(int rows) {
    return new Strides(rows, Math.max(1, rows), false);
  }

  /** The number of strides; at most {@link #MOST} with an index. */
  public int count() {
    return (int) Math.max(1, ((long) rows + length - 1) / length);
  }

  /** The stride of a row. */
  public int of(int row) {
    return row / length;
  }

  /** The first row of an existing stride. */
  public int firstRow(int stride) {
    return stride * length;
  }

  /** The row after a stride's last. */
  public int endRow(int stride) {
    return (int) Math.min(rows, (stride + 1L) * length);
  }

  /** Whether each stride holds a row of {@code wanted}. */
  public boolean allHold(Selection wanted) {
    if (wanted.isAll()) {
      return true;
    }
    for (int s = 0; s < count(); s++) {
      int row = wanted.nextSelected(firstRow(s));
      if (row < 0 || of(row) != s) {
        return false;
      }
    }
    return true;
  }

  /** Adds the strides that hold rows of {@code wanted}. */
  public void addHolding(Selection wanted, BitSet strides) {
    int row = wanted.nextSelected(0);
    while (row >= 0) {
      int s = of(row);
      strides.set(s);
      row = s + 1 < count() ? wanted.nextSelected(firstRow(s + 1)) : -1;
    }
  }
}
