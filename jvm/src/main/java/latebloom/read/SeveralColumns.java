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
 * A condition that Spark's compiled predicate evaluates row by row, on the rows that are left. Not
 * thread safe: it keeps the vectors that it reads into.
 *
 * @see CompiledColumn for expressions over one flat column
 */
public final class SeveralColumns implements ScanFilter {
  private static final int BLOCK = 1024;

  private final int[] columns;
  private final int use;
  private final RowPredicate predicate;
  private final String text;

  private transient OutputColumn[] block;

  /**
   * @param columns indexes of the columns, in the order in which {@code predicate} takes them
   * @param use the first of as many uses as there are columns, see {@link RowGroup#cursor}
   */
  public SeveralColumns(int[] columns, int use, RowPredicate predicate, String text) {
    this.columns = columns;
    this.use = use;
    this.predicate = predicate;
    this.text = text;
  }

  @Override
  public String text() {
    return text;
  }

  @Override
  public Selection filter(RowGroup group, Selection rows) throws IOException {
    group.fetch(needs(rows));
    SelectiveColumn[] cursors = new SelectiveColumn[columns.length];
    for (int c = 0; c < columns.length; c++) {
      cursors[c] = group.cursor(columns[c], use + c, rows);
    }
    OutputColumn[] out = block(group);
    int[] positions = new int[BLOCK];
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
      OutputColumn[] made = new OutputColumn[columns.length];
      for (int c = 0; c < columns.length; c++) {
        made[c] = new OutputColumn(new OnHeapColumnVector(BLOCK, group.heldType(columns[c])));
      }
      block = made;
    }
    return block;
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
