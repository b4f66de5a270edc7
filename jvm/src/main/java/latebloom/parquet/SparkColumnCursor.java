// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.IOException;
import java.util.function.Function;
import latebloom.parquet.page.SelectedPages;
import latebloom.read.ColumnCursor;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.predicate.ValuePredicate;
import latebloom.read.selection.Selection;
import latebloom.read.task.RunningTask;
import latebloom.read.vector.BlockArrays;
import latebloom.read.vector.OutputColumn;
import latebloom.read.vector.RowConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.execution.RowToColumnConverter;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** Reads a column by Spark's own reader, at the selected rows only. */
final class SparkColumnCursor implements ColumnCursor {
  private static final InternalRow NO_STRUCT = new GenericInternalRow(new Object[1]);

  private final SparkReader reader;
  private final Function<Selection, SelectedPages> pagesOf;
  private final int depth;
  private final RowToColumnConverter converter;
  private final DataType type;

  private boolean started;
  private boolean exact;
  private int batchStart;
  private int batchRows;
  private int consumed;

  /**
   * @param reader owned by the file; must be at the end of the rows started before
   * @param depth how many structs of one field enclose the values
   * @param pagesOf finds the fetched pages of this row group that hold given rows
   */
  SparkColumnCursor(SparkReader reader, int depth, Function<Selection, SelectedPages> pagesOf) {
    this.reader = reader;
    this.depth = depth;
    this.pagesOf = pagesOf;
    this.type = heldType(reader, depth);
    this.converter = RowConverters.of(type);
  }

  /** The type of the values inside {@code depth} structs. */
  static DataType heldType(SparkReader reader, int depth) {
    DataType type = reader.vector().dataType();
    for (int d = 0; d < depth; d++) {
      type = ((StructType) type).fields()[0].dataType();
    }
    return type;
  }

  /** A row whose single column is the value of row {@code ordinal} among the rows read. */
  private InternalRow value(int ordinal) throws IOException {
    seek(ordinal);
    InternalRow row = reader.resultBatch().getRow(ordinal - batchStart);
    for (int d = 0; d < depth && row != NO_STRUCT; d++) {
      row = row.isNullAt(0) ? NO_STRUCT : row.getStruct(0, 1);
    }
    return row;
  }

  /** Begins reading {@code rows}, once per window of the row group. */
  void start(Selection rows) {
    if (started && !exact) {
      return;
    }
    SelectedPages pages = pagesOf.apply(rows);
    exact = pages.exact();
    reader.start(pages);
    started = true;
    batchStart = 0;
    batchRows = 0;
    consumed = 0;
  }

  /** Whether another row group can use the reader. */
  boolean reusable() {
    return !started || exact;
  }

  // ---- filter

  @Override
  public Selection filter(Selection rows, PredicateCursor predicate) throws IOException {
    ValuePredicate test = new ValuePredicate(type, predicate);
    Selection.Builder passed = new Selection.Builder(rows.rows());
    int[] positions = new int[BlockArrays.BLOCK];
    int next = 0;
    int n;
    while ((n = rows.positions(next, rows.rows(), positions.length, positions)) > 0) {
      next = positions[n - 1] + 1;
      for (int i = 0; i < n; i++) {
        if (test.passes(value(exact ? consumed++ : positions[i]))) {
          passed.add(positions[i]);
        }
      }
    }
    return passed.build();
  }

  // ---- select

  @Override
  public void select(int[] rows, int n, OutputColumn out) throws IOException {
    if (canLend(n, out)) {
      seek(consumed);
      if (batchRows == n) {
        consumed += n;
        DictionaryCodes.check(reader.vector(), n);
        out.lend(reader.vector());
        return;
      }
    }
    WritableColumnVector vector = out.vector();
    // A former row group may have written values without appending them.
    vector.addElementsAppended(out.at() - vector.getElementsAppended());
    WritableColumnVector[] to = {vector};
    for (int i = 0; i < n; i++) {
      converter.convert(value(exact ? consumed++ : rows[i]), to);
    }
  }

  /** Whether the output batch is exactly the reader's next batch, which can then be lent. */
  private boolean canLend(int n, OutputColumn out) {
    return depth == 0 && exact && out.whole() && n > 0 && consumed == batchStart + batchRows;
  }

  /** Reads batches until one holds row {@code ordinal} among the rows read. */
  private void seek(int ordinal) throws IOException {
    while (ordinal >= batchStart + batchRows) {
      RunningTask.checkNotKilled();
      batchStart += batchRows;
      batchRows = reader.read();
      if (batchRows == 0) {
        throw new IOException("the column ends before row " + ordinal + " of the row group");
      }
    }
  }
}
