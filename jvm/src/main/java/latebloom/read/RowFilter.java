// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import java.util.function.IntConsumer;
import latebloom.read.predicate.RowPredicate;
import latebloom.read.selection.Selection;
import latebloom.read.task.RunningTask;
import latebloom.read.vector.OutputColumn;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * A predicate on several columns, compiled by Spark and evaluated on each remaining row.
 *
 * @param columns indexes of the columns, in {@code predicate}'s order
 * @param use the first of its uses, one per column, see {@link RowGroup#cursor}
 * @see latebloom.read.predicate.CompiledPredicate for expressions over one flat column
 */
public record RowFilter(int[] columns, int use, RowPredicate predicate, String text)
    implements ScanFilter {
  private static final int BLOCK = 1024;

  @Override
  public ScanFilter.Cursor cursor() {
    return new Cursor(this, predicate.cursor());
  }

  private static final class Cursor implements ScanFilter.Cursor {
    private final RowFilter filter;
    private final RowPredicate.Cursor predicate;
    private final int[] positions = new int[BLOCK];

    /** Receives blocks of the columns. */
    private OutputColumn[] block;

    Cursor(RowFilter filter, RowPredicate.Cursor predicate) {
      this.filter = filter;
      this.predicate = predicate;
    }

    @Override
    public Selection filter(RowGroup group, Selection rows) throws IOException {
      group.fetch(filter.needs(rows));
      int[] columns = filter.columns;
      ColumnCursor[] cursors = new ColumnCursor[columns.length];
      for (int c = 0; c < columns.length; c++) {
        cursors[c] = group.cursor(columns[c], filter.use + c, rows);
      }
      OutputColumn[] out = block(group);
      Selection.Builder passed = new Selection.Builder(rows.rows());
      int next = 0;
      int n;
      while ((n = rows.positions(next, rows.rows(), BLOCK, positions)) > 0) {
        RunningTask.checkNotKilled();
        next = positions[n - 1] + 1;
        ColumnVector[] vectors = new ColumnVector[columns.length];
        for (int c = 0; c < columns.length; c++) {
          out[c].reset();
          out[c].position(0, true);
          cursors[c].select(positions, n, out[c]);
          vectors[c] = out[c].result();
        }
        ColumnarBatch batch = new ColumnarBatch(vectors, n);
        int m = 0;
        for (int i = 0; i < n; i++) {
          positions[m] = positions[i];
          m += predicate.test(batch.getRow(i)) ? 1 : 0;
        }
        passed.add(positions, m);
      }
      return passed.build();
    }

    private OutputColumn[] block(RowGroup group) throws IOException {
      if (block == null) {
        int[] columns = filter.columns;
        OutputColumn[] made = new OutputColumn[columns.length];
        for (int c = 0; c < columns.length; c++) {
          made[c] = new OutputColumn(new OnHeapColumnVector(BLOCK, group.heldType(columns[c])));
        }
        block = made;
      }
      return block;
    }
  }

  @Override
  public boolean runsCompiledCode() {
    return true;
  }

  @Override
  public boolean allPass(RowGroup group) {
    return false;
  }

  @Override
  public void forEachColumn(IntConsumer consumer) {
    for (int c : columns) {
      consumer.accept(c);
    }
  }
}
