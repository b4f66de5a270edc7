// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.filter2.predicate.Operators;

/** Visits predicates, of every kind that the parquet-java of this line defines. */
public abstract class ColumnVisitor<R> implements FilterPredicate.Visitor<R> {

  /** Visits a predicate over one column, of a kind that only some lines define. */
  protected abstract R ofColumn(Operators.Column<?> column);

  @Override
  public <T extends Comparable<T>> R visit(Operators.Contains<T> e) {
    return ofColumn(e.getColumn());
  }
}
