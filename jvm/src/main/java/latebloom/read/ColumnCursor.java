// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.selection.Selection;
import latebloom.read.task.Counter;
import latebloom.read.task.Counters;
import latebloom.read.vector.OutputColumn;

/**
 * Reads the wanted rows of one column of one row group, for one use. Rows are 0-based positions
 * within the row group and always ascend. Callers fetch the needed bytes first (see {@link
 * RowGroup#fetch}).
 */
public interface ColumnCursor {

  /**
   * Returns those of {@code rows} that pass.
   *
   * @throws IOException if the file is corrupt; the message names row group, column and page
   */
  Selection filter(Selection rows, PredicateCursor predicate) throws IOException;

  /**
   * Writes the values of {@code rows[0, n)} to {@code out} from row {@code out.at()} on. Rows
   * ascend from call to call.
   */
  void select(int[] rows, int n, OutputColumn out) throws IOException;

  /** Releases what it holds for further rows; no call follows. */
  default void release() {}

  /** Whether what it counts as decoded are the entries of lists and maps, rather than rows. */
  default boolean countsEntries() {
    return false;
  }

  /** A cursor that counts for its column what it decodes. */
  final class Counted implements ColumnCursor {
    private final ColumnCursor cursor;
    private final int column;
    private final int use;
    private final boolean bySpark;
    private final Counters counters;

    /**
     * @param use see {@link RowGroup#cursor}
     * @param bySpark whether Spark's own reader decodes the column, which counts nothing itself
     */
    public Counted(ColumnCursor cursor, int column, int use, boolean bySpark, Counters counters) {
      this.cursor = cursor;
      this.column = column;
      this.use = use;
      this.bySpark = bySpark;
      this.counters = counters;
    }

    @Override
    public Selection filter(Selection rows, PredicateCursor predicate) throws IOException {
      long before = counters.get(Counter.VALUES_DECODED);
      Selection passed = cursor.filter(rows, predicate);
      count(rows.count(), counters.get(Counter.VALUES_DECODED) - before);
      return passed;
    }

    @Override
    public void select(int[] rows, int n, OutputColumn out) throws IOException {
      long before = counters.get(Counter.VALUES_DECODED);
      cursor.select(rows, n, out);
      count(n, counters.get(Counter.VALUES_DECODED) - before);
    }

    private void count(int rows, long decoded) {
      if (bySpark) {
        counters.columns().decodedBySpark(column, use, rows);
      } else {
        // A value that a filter has kept for the output is not decoded again.
        long rowsDecoded = cursor.countsEntries() ? rows : decoded;
        counters.columns().decoded(column, use, rowsDecoded, decoded);
      }
    }

    @Override
    public void release() {
      cursor.release();
    }
  }
}
