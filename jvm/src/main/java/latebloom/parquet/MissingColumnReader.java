// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.IOException;
import java.util.List;
import latebloom.parquet.page.ColumnChunk;
import latebloom.read.ColumnCursor;
import latebloom.read.selection.Selection;

/**
 * A column that the file lacks: fetches nothing. Spark's reader makes the values: nulls, the
 * column's default or row numbers.
 */
record MissingColumnReader(SparkColumnReader maker) implements ColumnReader {
  @Override
  public List<ColumnChunk> chunks() {
    return List.of();
  }

  @Override
  public ColumnCursor cursor(int use, Selection rows) throws IOException {
    return maker.cursor(use, rows);
  }

  @Override
  public void release() {
    maker.release();
  }
}
