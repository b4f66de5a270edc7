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
 * Reads one wanted column of one row group: knows its chunks, and owns what is decoded of them and
 * the cursors over it. Made when the row group is first asked for the column.
 */
sealed interface ColumnReader
    permits FlatColumnReader, NestedColumnReader, SparkColumnReader, MissingColumnReader {

  /** The column chunks that it reads. */
  List<ColumnChunk> chunks() throws IOException;

  /** Whether it can leave pages of a chunk out, once it is known where they lie. */
  default boolean skipsPages(ColumnChunk chunk) {
    return true;
  }

  /** Adds what must be fetched, and was not before, for {@code rows} to be read. */
  default void want(Selection rows, List<WantedRange> ranges) throws IOException {
    for (ColumnChunk chunk : chunks()) {
      chunk.want(rows, ranges);
    }
  }

  /** Reads the column for one use in one window, see {@link RowGroup#cursor}. */
  ColumnCursor cursor(int use, Selection rows) throws IOException;

  /** Lets go of what was decoded. */
  void release();
}
