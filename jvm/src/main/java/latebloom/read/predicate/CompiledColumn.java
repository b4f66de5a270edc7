// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import org.apache.spark.sql.types.DataType;

/**
 * Any deterministic expression over one column, evaluated by Spark's compiled predicate: for an entry
 * of a dictionary once, for other values one by one. Not thread safe.
 */
public final class CompiledColumn implements ColumnPredicate {
  private final RowPredicate predicate;
  private final DataType type;
  private final boolean mayThrow;

  private transient ValueRow row;
  private transient Boolean nullPasses;

  /**
   * @param predicate on rows of this column alone
   * @param mayThrow whether some value may be an error: then none is looked at before a row that
   *     holds it gets here
   */
  public CompiledColumn(RowPredicate predicate, DataType type, boolean mayThrow) {
    this.predicate = predicate;
    this.type = type;
    this.mayThrow = mayThrow;
  }

  public boolean mayThrow() {
    return mayThrow;
  }

  public RowPredicate predicate() {
    return predicate;
  }

  /** Evaluated when it is first asked for. */
  @Override
  public boolean nullPasses() {
    if (nullPasses == null) {
      nullPasses = predicate.test(row().ofNull());
    }
    return nullPasses;
  }

  /** Whether a value of fixed width passes, by its raw bits: see {@link ValueRow}. */
  public boolean test(long bits) {
    return predicate.test(row().of(bits));
  }

  /** Whether text, binary, or a decimal of more than 18 digits passes. */
  public boolean test(byte[] data, int offset, int length) {
    return predicate.test(row().of(data, offset, length));
  }

  private ValueRow row() {
    if (row == null) {
      row = new ValueRow(type);
    }
    return row;
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
