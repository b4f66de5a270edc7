// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.predicate.ValuePredicate;
import latebloom.read.selection.Selection;
import latebloom.read.vector.OutputColumn;
import latebloom.read.vector.RowConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.execution.RowToColumnConverter;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** Reads a column that has the same value in every row, such as one that a file lacks. */
public final class ConstantColumnCursor implements ColumnCursor {
  private final InternalRow value;
  private final DataType type;
  private final RowToColumnConverter converter;

  /**
   * @param value in Spark's representation
   * @param depth how many structs of one field enclose the column's values, {@code value} being the
   *     outermost
   * @param type of the column's values
   */
  public ConstantColumnCursor(Object value, int depth, DataType type) {
    Object inner = value;
    for (int d = depth; d > 0 && inner != null; d--) {
      InternalRow struct = (InternalRow) inner;
      inner = struct.isNullAt(0) ? null : d > 1 ? struct.getStruct(0, 1) : struct.get(0, type);
    }
    StructType row = new StructType().add("value", type, true);
    // A row that returns text as bytes, as rows of files do.
    this.value = UnsafeProjection.create(row).apply(new GenericInternalRow(new Object[] {inner}));
    this.type = type;
    this.converter = RowConverters.of(row);
  }

  /** Whether every row passes, or none. */
  public boolean passes(ColumnPredicate predicate) {
    return passes(predicate.cursor());
  }

  private boolean passes(PredicateCursor predicate) {
    return new ValuePredicate(type, predicate).passes(value);
  }

  @Override
  public Selection filter(Selection rows, PredicateCursor predicate) {
    return rows.isNone() || passes(predicate) ? rows : Selection.none(rows.rows());
  }

  @Override
  public void select(int[] rows, int n, OutputColumn out) {
    WritableColumnVector[] to = {out.vector()};
    for (int i = 0; i < n; i++) {
      converter.convert(value, to);
    }
  }
}
