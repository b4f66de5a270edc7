// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.IOException;
import java.util.List;
import latebloom.read.ColumnPredicate;
import latebloom.read.OutputColumn;
import latebloom.read.Selection;
import latebloom.read.SelectiveColumn;
import latebloom.read.ValueTest;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * A list of flat values, or a map between such, that we decode ourselves: of rows that nobody wants
 * the levels are counted and the values passed over.
 */
final class RepeatedColumn implements SelectiveColumn {
  private final List<RepeatedLeaf> leaves;
  private final ColumnPlace place;
  private final DataType type;

  private int[] sizes = {};
  private int[] otherSizes = {};

  /**
   * @param leaves the list's one, or the map's two
   * @param place of the first leaf
   */
  RepeatedColumn(List<RepeatedLeaf> leaves, ColumnPlace place, DataType type) {
    this.leaves = leaves;
    this.place = place;
    this.type = type;
  }

  @Override
  public Selection filter(Selection rows, ColumnPredicate predicate) throws IOException {
    ValueTest test = new ValueTest(type, predicate);
    Selection.Builder passed = new Selection.Builder(rows.rows());
    int[] positions = new int[FlatColumn.BLOCK];
    int next = 0;
    int n;
    try (WritableColumnVector block = new OnHeapColumnVector(FlatColumn.BLOCK, type)) {
      ColumnarBatch batch = new ColumnarBatch(new ColumnVector[] {block}, FlatColumn.BLOCK);
      while ((n = rows.positions(next, rows.rows(), positions.length, positions)) > 0) {
        next = positions[n - 1] + 1;
        block.reset();
        read(positions, n, block, 0, false);
        for (int i = 0; i < n; i++) {
          InternalRow row = batch.getRow(i);
          if (test.passes(row)) {
            passed.add(positions[i]);
          }
        }
      }
    }
    return passed.build();
  }

  @Override
  public void select(int[] rows, int n, OutputColumn out) throws IOException {
    read(rows, n, out.vector(), out.at(), out.whole());
  }

  private void read(int[] rows, int n, WritableColumnVector to, int at, boolean whole)
      throws IOException {
    if (sizes.length < n) {
      sizes = new int[n];
      otherSizes = new int[n];
    }
    int offset = to.getChild(0).getElementsAppended();
    for (int l = 0; l < leaves.size(); l++) {
      WritableColumnVector child = to.getChild(l);
      int entries = leaves.get(l).read(rows, n, l == 0 ? sizes : otherSizes, child, whole);
      child.addElementsAppended(entries);
    }
    if (leaves.size() > 1) {
      checkAlike(n);
    }
    for (int i = 0; i < n; i++) {
      if (sizes[i] < 0) {
        to.putNull(at + i);
      } else {
        to.putArray(at + i, offset, sizes[i]);
        offset += sizes[i];
      }
    }
  }

  private void checkAlike(int n) {
    for (int i = 0; i < n; i++) {
      if (sizes[i] != otherSizes[i]) {
        throw new CorruptPageException(
            "corrupt Parquet file " + place.file() + ": row group " + place.rowGroup() + ", column "
                + place.column() + ": a map of " + sizes[i] + " keys and " + otherSizes[i] + " values");
      }
    }
  }
}
