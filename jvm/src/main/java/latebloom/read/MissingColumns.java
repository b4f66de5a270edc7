// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.CompiledPredicate;

/**
 * The columns of a scan that a file lacks. All rows have the same value in them, null or the
 * column's default, so a predicate passes all rows or none.
 */
public final class MissingColumns {
  private final IntPredicate missing;
  private final OneValue values;
  private final Map<ColumnPredicate, Boolean> known = new IdentityHashMap<>();

  /** Tests the value of a missing column. */
  @FunctionalInterface
  public interface OneValue {
    boolean passes(int column, ColumnPredicate predicate) throws IOException;
  }

  /**
   * @param missing whether the file lacks a column
   */
  public MissingColumns(IntPredicate missing, OneValue values) {
    this.missing = missing;
    this.values = values;
  }

  /** Whether all rows pass a predicate of one column, which is missing; else none does. */
  public boolean pass(int column, ColumnPredicate predicate) throws IOException {
    Boolean passes = known.get(predicate);
    if (passes == null) {
      passes = values.passes(column, predicate);
      known.put(predicate, passes);
    }
    return passes;
  }

  /**
   * Whether rows may pass all filters, judged by missing columns only. Leaves expressions to the
   * scan: one may fail, but only on rows that the filters before it keep.
   */
  public boolean mayPass(List<ScanFilter> filters) throws IOException {
    for (ScanFilter f : filters) {
      if (f instanceof ScanFilter.ColumnFilter one
          && missing.test(one.column())
          && !(one.predicate() instanceof CompiledPredicate)
          && !pass(one.column(), one.predicate())) {
        return false;
      }
    }
    return true;
  }
}
