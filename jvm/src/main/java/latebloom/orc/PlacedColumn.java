// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import latebloom.orc.stripe.StripePlace;
import latebloom.read.ColumnCursor;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.selection.Selection;
import latebloom.read.vector.OutputColumn;

/** Adds the place in the file to a column's errors: see {@link StripePlace}. */
record PlacedColumn(StripePlace place, String name, ColumnCursor column) implements ColumnCursor {
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
