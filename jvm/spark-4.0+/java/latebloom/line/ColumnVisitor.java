// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.filter2.predicate.Operators;

/** A visitor of all the kinds of predicate that the parquet-java of this line has. */
public abstract class ColumnVisitor<R> implements FilterPredicate.Visitor<R> {

  /** What it gives for a predicate of one column, of a kind that not all lines have. */
  protected abstract R ofColumn(Operators.Column<?> column);

  @Override
  public <T extends Comparable<T>> R visit(Operators.Contains<T> e) {
    return ofColumn(e.getColumn());
  }
}
