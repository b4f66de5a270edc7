// SPDX-License-Identifier: Apache-2.0
package latebloom.read.task;

import java.util.Arrays;

/**
 * How many values one file's scan has decoded and skipped of each column, owned by one thread. A
 * value that several filters read, or a filter and the output, is decoded as often, and skipped if
 * none decodes it. What is added is added for a batch or a window, never for a value.
 *
 * <p>Rows of a window are skipped in a column beyond the most that one of its uses decodes: each
 * use of a window sees rows that the one before it has left.
 */
public final class ColumnCounts {
  /** Numbers of a column: values decoded, values that Spark's reader decoded, values skipped. */
  public static final int NUMBERS = 3;

  /** The last of so many columns stands for all after it, too: bounds what a task sends. */
  public static final int MOST_COLUMNS = 256;

  private static final int DECODED = 0;
  private static final int BY_SPARK = 1;
  private static final int SKIPPED = 2;
  private static final int NO_USE = -1;
  private static final long[] NONE = {};

  private long[] totals = NONE;

  /** Of the window, by column: the use that reads it, the rows of that use, the most of one use. */
  private int[] use = {};

  private long[] rowsOfUse = {};
  private long[] mostRows = {};

  /**
   * Adds what our own decoders have done for a use of a column.
   *
   * @param rows whose values were decoded
   * @param values as many, or the entries of lists
   */
  public void decoded(int column, int by, long rows, long values) {
    read(column, by, rows);
    totals[at(column) + DECODED] += values;
  }

  /** Adds what Spark's own reader has done for a use of a column. */
  public void decodedBySpark(int column, int by, long rows) {
    read(column, by, rows);
    totals[at(column) + BY_SPARK] += rows;
  }

  private void read(int column, int by, long rows) {
    ensure(column + 1);
    if (use[column] != by) {
      use[column] = by;
      rowsOfUse[column] = 0;
    }
    rowsOfUse[column] += rows;
    mostRows[column] = Math.max(mostRows[column], rowsOfUse[column]);
  }

  /**
   * Ends a window.
   *
   * @param columns which of the scan's columns it reads
   * @param rows of the window
   * @return how many values were skipped, of all columns
   */
  public long endWindow(boolean[] columns, int rows) {
    ensure(columns.length);
    long skipped = 0;
    for (int c = 0; c < columns.length; c++) {
      long left = columns[c] ? Math.max(rows - mostRows[c], 0) : 0;
      totals[at(c) + SKIPPED] += left;
      skipped += left;
      use[c] = NO_USE;
      rowsOfUse[c] = 0;
      mostRows[c] = 0;
    }
    return skipped;
  }

  /**
   * Returns the {@link #NUMBERS} of each column, one after another, since the last call; empty
   * without any.
   */
  public long[] take() {
    long[] taken = totals;
    totals = NONE;
    return taken;
  }

  private void ensure(int columns) {
    int known = use.length;
    if (known < columns) {
      use = Arrays.copyOf(use, columns);
      Arrays.fill(use, known, columns, NO_USE);
      rowsOfUse = Arrays.copyOf(rowsOfUse, columns);
      mostRows = Arrays.copyOf(mostRows, columns);
    }
    int size = at(use.length - 1) + NUMBERS;
    if (totals.length < size) {
      totals = Arrays.copyOf(totals, size);
    }
  }

  private static int at(int column) {
    return NUMBERS * Math.min(column, MOST_COLUMNS - 1);
  }
}
