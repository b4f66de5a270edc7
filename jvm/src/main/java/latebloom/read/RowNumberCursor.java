// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import latebloom.read.predicate.PredicateCursor;
import latebloom.read.selection.Selection;
import latebloom.read.vector.OutputColumn;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;

/** Numbers the rows of a row group as rows of the file, from 0. */
public final class RowNumberCursor implements ColumnCursor {
  private static final String MARK = "latebloom.rowNumber";

  private final long first;

  /**
   * @param first number in the file of the row group's first row
   */
  public RowNumberCursor(long first) {
    if (first < 0) {
      throw new IllegalArgumentException("a row group cannot begin at row " + first);
    }
    this.first = first;
  }

  /**
   * A column of the numbers of rows.
   *
   * @param name by which Spark's own reader of the format, if it can number rows, knows it
   */
  public static StructField field(String name) {
    return new StructField(
        name, DataTypes.LongType, true, new MetadataBuilder().putBoolean(MARK, true).build());
  }

  /** Whether a column is one of numbers, made by {@link #field}. */
  public static boolean isFor(StructField column) {
    return isFor(column.metadata());
  }

  /** Whether a column with the metadata is one of numbers. */
  public static boolean isFor(Metadata of) {
    return of.contains(MARK);
  }

  @Override
  public Selection filter(Selection rows, PredicateCursor predicate) {
    throw new UnsupportedOperationException("no filter reads the numbers of rows");
  }

  @Override
  public void select(int[] rows, int n, OutputColumn out) {
    WritableColumnVector to = out.vector();
    for (int i = 0; i < n; i++) {
      to.putLong(out.at() + i, first + rows[i]);
    }
  }
}
