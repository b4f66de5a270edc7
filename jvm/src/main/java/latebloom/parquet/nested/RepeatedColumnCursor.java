// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.nested;

import java.io.IOException;
import java.util.List;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.page.ColumnPlace;
import latebloom.read.ColumnCursor;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.predicate.ValuePredicate;
import latebloom.read.selection.Selection;
import latebloom.read.vector.BlockArrays;
import latebloom.read.vector.OutputColumn;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Reads a list of flat values, or a map between such, with our own decoders. For unwanted rows it
 * counts levels and skips values.
 */
public final class RepeatedColumnCursor implements ColumnCursor {
  private final List<RepeatedLeafCursor> leaves;
  private final ColumnPlace place;
  private final DataType type;
  private final EntryBits kept;

  private int[] sizes = {};
  private int[] otherSizes = {};

  /**
   * @param leaves one of a list, two of a map
   * @param place of the first leaf
   * @param keys which entries of a map are wanted; null for all
   */
  public RepeatedColumnCursor(
      List<RepeatedLeafCursor> leaves, ColumnPlace place, DataType type, ColumnPredicate keys) {
    this.leaves = leaves;
    this.place = place;
    this.type = type;
    this.kept = keys == null ? null : new EntryBits();
    if (keys != null) {
      leaves.get(0).keep(keys.cursor(), kept);
    }
  }

  @Override
  public Selection filter(Selection rows, PredicateCursor predicate) throws IOException {
    ValuePredicate test = new ValuePredicate(type, predicate);
    Selection.Builder passed = new Selection.Builder(rows.rows());
    int[] positions = new int[BlockArrays.BLOCK];
    int next = 0;
    int n;
    try (WritableColumnVector block = new OnHeapColumnVector(BlockArrays.BLOCK, type)) {
      ColumnarBatch batch = new ColumnarBatch(new ColumnVector[] {block}, BlockArrays.BLOCK);
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

  @Override
  public boolean countsEntries() {
    return true;
  }

  @Override
  public void release() {
    leaves.forEach(RepeatedLeafCursor::release);
  }

  private void read(int[] rows, int n, WritableColumnVector to, int at, boolean whole)
      throws IOException {
    if (sizes.length < n) {
      sizes = new int[n];
      otherSizes = new int[n];
    }
    WritableColumnVector first = to.getChild(0);
    int offset = first.getElementsAppended();
    if (kept != null) {
      kept.clear();
    }
    first.addElementsAppended(leaves.get(0).read(rows, n, sizes, first, whole));
    if (leaves.size() > 1) {
      WritableColumnVector values = to.getChild(1);
      values.addElementsAppended(readValues(rows, n, values, whole));
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

  /** Reads a map's values; reduces the sizes to the kept entries. */
  private int readValues(int[] rows, int n, WritableColumnVector to, boolean whole)
      throws IOException {
    RepeatedLeafCursor values = leaves.get(1);
    if (kept == null) {
      int read = values.read(rows, n, otherSizes, to, whole);
      checkAlike(n);
      return read;
    }
    int read = values.readKept(rows, n, sizes, kept, to, whole);
    int before = 0;
    for (int i = 0; i < n; i++) {
      int size = sizes[i];
      if (size > 0) {
        sizes[i] = kept.count(before, size);
        before += size;
      }
    }
    return read;
  }

  private void checkAlike(int n) {
    for (int i = 0; i < n; i++) {
      if (sizes[i] != otherSizes[i]) {
        throw new CorruptPageException(
            "corrupt Parquet file "
                + place.file()
                + ": row group "
                + place.rowGroup()
                + ", column "
                + place.column()
                + ": a map of "
                + sizes[i]
                + " keys and "
                + otherSizes[i]
                + " values");
      }
    }
  }
}
