// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import org.apache.spark.sql.types.DataType;

/**
 * Any deterministic expression over one column, evaluated by Spark's compiled predicate: for an
 * entry of a dictionary once, for other values one by one.
 *
 * @param predicate on rows of this column alone
 * @param mayThrow whether some value may be an error: then none is looked at before a row that
 *     holds it gets here
 */
public record CompiledPredicate(RowPredicate predicate, DataType type, boolean mayThrow)
    implements ColumnPredicate {

  /** Evaluated anew each time; a cursor remembers it. */
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
