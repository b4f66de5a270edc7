// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import java.util.List;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.selection.Selection;
import latebloom.read.vector.OutputColumn;
import org.apache.spark.sql.types.DataType;

/**
 * Stands for a row group of whose rows only the different values of one column matter: it has a row
 * for each of them.
 */
public final class DistinctRows implements RowGroup {
  private final RowGroup whole;
  private final int column;
  private final Values values;

  /**
   * The values of a column, in any order.
   *
   * @param size how many
   * @param cursor over them, each as a row
   */
  public record Values(int size, ColumnCursor cursor) {}

  private static final class OneNull implements ColumnCursor {
    @Override
    public Selection filter(Selection rows, PredicateCursor predicate) {
      return predicate.nullPasses() ? rows : Selection.none(rows.rows());
    }

    @Override
    public void select(int[] rows, int n, OutputColumn out) {
      for (int i = 0; i < n; i++) {
        out.vector().putNull(out.at() + i);
      }
    }
  }

  private DistinctRows(RowGroup whole, int column, Values values) {
    this.whole = whole;
    this.column = column;
    this.values = values;
  }

  /** The distinct rows of a row group; the row group itself if the file does not tell them. */
  static RowGroup of(RowGroup whole, int column) throws IOException {
    long nulls = whole.nulls(column);
    if (nulls < 0 || nulls > whole.rows()) {
      return whole;
    }
    Values values =
        nulls == whole.rows() ? new Values(1, new OneNull()) : whole.distinct(column, nulls);
    return values == null ? whole : new DistinctRows(whole, column, values);
  }

  @Override
  public int rows() {
    return values.size;
  }

  @Override
  public long firstRow() {
    return -1;
  }

  @Override
  public Selection prune() {
    return Selection.all(values.size);
  }

  @Override
  public boolean allPass(int column, ColumnPredicate predicate) throws IOException {
    return whole.allPass(column, predicate);
  }

  /** None that are not fetched. */
  @Override
  public long bytes(int column) {
    return 0;
  }

  @Override
  public long roundTripBytes() {
    return whole.roundTripBytes();
  }

  @Override
  public void fetch(List<Need> needs) {}

  @Override
  public ColumnCursor cursor(int column, int use, Selection rows) {
    if (column != this.column) {
      throw new IllegalStateException("only the values of column " + this.column + " are known");
    }
    return values.cursor;
  }

  @Override
  public DataType heldType(int column) throws IOException {
    return whole.heldType(column);
  }

  @Override
  public void release() {
    whole.release();
  }
}
