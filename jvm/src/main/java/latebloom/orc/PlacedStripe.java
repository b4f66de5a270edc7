// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.util.List;
import latebloom.read.ColumnCursor;
import latebloom.read.RowGroup;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.selection.Selection;
import latebloom.read.vector.OutputColumn;
import org.apache.spark.sql.types.DataType;

/** A stripe whose faults say where in the file they are: see {@link StripePlace}. */
final class PlacedStripe implements RowGroup {
  private final StripePlace place;
  private final RowGroup stripe;
  private final OrcColumn[] columns;

  PlacedStripe(StripePlace place, RowGroup stripe, OrcColumn[] columns) {
    this.place = place;
    this.stripe = stripe;
    this.columns = columns;
  }

  private String name(int column) {
    return "column " + columns[column].field.name();
  }

  @Override
  public int rows() {
    return stripe.rows();
  }

  @Override
  public Selection prune() throws IOException {
    return place.read("row indexes", stripe::prune);
  }

  @Override
  public boolean allPass(int column, ColumnPredicate predicate) throws IOException {
    return place.read(name(column), () -> stripe.allPass(column, predicate));
  }

  @Override
  public long bytes(int column) throws IOException {
    return place.read(name(column), () -> stripe.bytes(column));
  }

  @Override
  public long roundTripBytes() {
    return stripe.roundTripBytes();
  }

  @Override
  public void fetch(List<Need> needs) throws IOException {
    place.read(
        "streams",
        () -> {
          stripe.fetch(needs);
          return null;
        });
  }

  @Override
  public ColumnCursor cursor(int column, int use, Selection rows) throws IOException {
    ColumnCursor cursor =
        place.read(name(column), () -> stripe.cursor(column, use, rows));
    return new PlacedColumn(place, name(column), cursor);
  }

  @Override
  public DataType heldType(int column) throws IOException {
    return stripe.heldType(column);
  }

  @Override
  public void release() {
    stripe.release();
  }

  private record PlacedColumn(StripePlace place, String name, ColumnCursor column)
      implements ColumnCursor {
    @Override
    public Selection filter(Selection rows, PredicateCursor predicate) throws IOException {
      return place.read(name, () -> column.filter(rows, predicate));
    }

    @Override
    public void select(int[] rows, int n, OutputColumn out) throws IOException {
      place.read(
          name,
          () -> {
            column.select(rows, n, out);
            return null;
          });
    }

    @Override
    public void release() {
      column.release();
    }
  }
}
