// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.flat;

import java.io.IOException;
import latebloom.read.ColumnCursor;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.predicate.VectorType;
import latebloom.read.selection.Selection;
import latebloom.read.vector.OutputColumn;

/**
 * Reads a flat column of one stripe with our own decoders. Seeks past strides without wanted rows,
 * and skips the values of other rows where the encoding allows.
 */
final class FlatOrcColumnCursor implements ColumnCursor {
  private final StripeColumn column;
  private final VectorType vectorType;
  private StripeSections sections;
  private FlatFilter filter;
  private FlatSelect select;

  FlatOrcColumnCursor(StripeColumn column, VectorType vectorType) {
    this.column = column;
    this.vectorType = vectorType;
    this.sections = new StripeSections(column);
  }

  @Override
  public Selection filter(Selection rows, PredicateCursor predicate) throws IOException {
    if (filter == null) {
      filter = new FlatFilter(column, vectorType, sections);
    }
    return filter.filter(rows, predicate);
  }

  @Override
  public void release() {
    filter = null;
    select = null;
    sections = null;
  }

  @Override
  public void select(int[] rows, int n, OutputColumn out) throws IOException {
    if (select == null) {
      select = new FlatSelect(column, vectorType, sections);
    }
    select.select(rows, n, out);
  }
}
