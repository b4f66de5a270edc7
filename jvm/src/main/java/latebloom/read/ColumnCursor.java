// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.selection.Selection;
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
}
