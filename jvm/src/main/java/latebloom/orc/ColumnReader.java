// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import latebloom.orc.flat.OrcColumns;
import latebloom.orc.flat.StripeColumn;
import latebloom.orc.stripe.ColumnStreams;
import latebloom.orc.tree.TreeColumnCursor;
import latebloom.read.ColumnCursor;
import latebloom.read.DistinctRows;
import latebloom.read.RowGroup;
import latebloom.read.selection.Selection;

/**
 * Reads one wanted column of one stripe. Owns its streams, their decoded values and its cursors.
 */
sealed interface ColumnReader {

  /** The streams of the column, and the ranges requested of them. */
  ColumnStreams streams();

  /** Whether the dictionary alone may settle a filter. */
  default boolean hasDictionary() {
    return false;
  }

  /** The entries of the dictionary, which was fetched; null if there are more than values. */
  default DistinctRows.Values distinct(long values, boolean hasNull) throws IOException {
    return null;
  }

  /** A cursor over the column for one use in one window, see {@link RowGroup#cursor}. */
  ColumnCursor cursor(int use, Selection rows);

  /**
   * A flat column that our own decoders read. Its uses share the dictionary and the values that
   * filters keep.
   */
  final class Flat implements ColumnReader {
    private final ColumnStreams streams;
    private final StripeColumn column;
    private final Map<Integer, ColumnCursor> cursors = new HashMap<>(2);

    /** The streams' generation at the time the cursors were made. */
    private int generation;

    Flat(ColumnStreams streams, StripeColumn column) {
      this.streams = streams;
      this.column = column;
    }

    @Override
    public ColumnStreams streams() {
      return streams;
    }

    @Override
    public boolean hasDictionary() {
      return column.isCoded();
    }

    @Override
    public DistinctRows.Values distinct(long values, boolean hasNull) throws IOException {
      return OrcColumns.distinct(column, values, hasNull);
    }

    @Override
    public ColumnCursor cursor(int use, Selection rows) {
      if (generation != streams.generation()) {
        generation = streams.generation();
        cursors.clear();
      }
      return cursors.computeIfAbsent(use, u -> OrcColumns.flat(column));
    }
  }

  /** A column that orc-core's own reader decodes. */
  record Tree(
      ColumnStreams streams,
      Supplier<TreeColumnCursor> open,
      Map<Integer, TreeColumnCursor> cursors)
      implements ColumnReader {
    Tree(ColumnStreams streams, Supplier<TreeColumnCursor> open) {
      this(streams, open, new HashMap<>(2));
    }

    @Override
    public ColumnCursor cursor(int use, Selection rows) {
      TreeColumnCursor cursor = cursors.computeIfAbsent(use, u -> open.get());
      cursor.start(rows);
      return cursor;
    }
  }

  /** A column that the file lacks: no streams. Its rows have one value, or their numbers. */
  record Missing(ColumnStreams streams, ColumnCursor values) implements ColumnReader {
    @Override
    public ColumnCursor cursor(int use, Selection rows) {
      return values;
    }
  }
}
