// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.IOException;
import java.util.List;
import latebloom.parquet.page.ColumnChunk;
import latebloom.read.ColumnCursor;
import latebloom.read.RowGroup;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.selection.Selection;

/**
 * Reads one wanted column of one row group. Knows its chunks, and owns their decoded values and its
 * cursors. The row group creates it at the first request for the column.
 */
sealed interface ColumnReader
    permits FlatColumnReader,
        NestedColumnReader,
        SparkColumnReader,
        MissingColumnReader,
        RowNumberReader {

  /** The column chunks to read. */
  List<ColumnChunk> chunks() throws IOException;

  /** Whether it can skip pages of a chunk once their places are known. */
  default boolean skipsPages(ColumnChunk chunk) {
    return true;
  }

  /** Adds the ranges that reading {@code rows} needs and that were not fetched before. */
  default void want(Selection rows, List<WantedRange> ranges) throws IOException {
    for (ColumnChunk chunk : chunks()) {
      chunk.want(rows, ranges);
    }
  }

  /** A cursor over the column for one use in one window, see {@link RowGroup#cursor}. */
  ColumnCursor cursor(int use, Selection rows) throws IOException;

  /** Releases decoded values. */
  void release();
}
