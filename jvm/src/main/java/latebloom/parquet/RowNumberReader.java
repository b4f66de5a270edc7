// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.util.List;
import latebloom.parquet.page.ColumnChunk;
import latebloom.read.ColumnCursor;
import latebloom.read.RowNumberCursor;
import latebloom.read.selection.Selection;

/** The numbers of a row group's rows in the file, which are in no column of it. */
record RowNumberReader(RowNumberCursor numbers) implements ColumnReader {
  @Override
  public List<ColumnChunk> chunks() {
    return List.of();
  }

  @Override
  public ColumnCursor cursor(int use, Selection rows) {
    return numbers;
  }

  @Override
  public void release() {}
}
