// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.selection.Selection;
import latebloom.read.vector.OutputColumn;

/**
 * Reads one column of one row group where rows are wanted, for one use. Positions in, positions
 * out: rows are 0-based within the row group and always ascend. What a call needs must have been
 * fetched before (see {@link RowGroup#fetch}).
 */
public interface ColumnCursor {

  /**
   * The rows of {@code rows} that pass.
   *
   * @throws IOException if the file is corrupt; the message names row group, column and page
   */
  Selection filter(Selection rows, PredicateCursor predicate) throws IOException;

  /**
   * Writes the values of {@code rows[0, n)} to {@code out} from row {@code out.at()} on. Successive
   * calls come with ascending rows.
   */
  void select(int[] rows, int n, OutputColumn out) throws IOException;

  /** Lets go of what is held for further rows; none will be asked for. */
  default void release() {}
}
