// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import org.apache.spark.sql.types.DataType;

/**
 * Any deterministic expression over one column, evaluated by Spark's compiled predicate: once per
 * entry of a dictionary, otherwise once per value.
 *
 * @param predicate on rows of this column alone
 * @param mayThrow whether evaluation may fail; then a value is evaluated only when a row with it is
 *     filtered
 */
public record CompiledPredicate(RowPredicate predicate, DataType type, boolean mayThrow)
    implements ColumnPredicate {

  /** Evaluates the predicate each time; a cursor remembers the result. */
  @Override
  public boolean nullPasses() {
    return cursor().nullPasses();
  }

  @Override
  public PredicateCursor cursor() {
    return new PredicateCursor.Compiled(this);
  }

  @Override
  public ColumnPredicate and(ColumnPredicate that) {
    throw new UnsupportedOperationException("compiled expressions are combined as expressions");
  }

  @Override
  public ColumnPredicate or(ColumnPredicate that) {
    return and(that);
  }
}
