// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.CompiledPredicate;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.selection.Selection;

/**
 * A condition that the scan evaluates: a tree of predicates on one column or on several.
 * Three-valued logic needs no place in it: a row passes AND and OR when all, or any, of the parts
 * are TRUE. Immutable: what filters rows is a {@link Cursor}, of which each scan of a file has its
 * own.
 */
public sealed interface ScanFilter extends Serializable
    permits ScanFilter.ColumnFilter,
        RowFilter,
        ScanFilter.And,
        ScanFilter.Or,
        ScanFilter.JoinKeyFilter,
        ScanFilter.OptionalFilter {

  /** The condition as SQL, for messages and EXPLAIN. */
  String text();

  /** Filters the row groups of one file, for one thread. */
  Cursor cursor();

  /** Filters the row groups of one file. Not thread safe. */
  interface Cursor {

    /**
     * The rows of {@code rows} for which the condition is TRUE. Fetches what is not there yet, and
     * no more than what the rows need that get so far.
     */
    Selection filter(RowGroup group, Selection rows) throws IOException;
  }

  /** Whether statistics prove that every row of the group passes. */
  boolean allPass(RowGroup group) throws IOException;

  /** Whether Spark's compiled code may have to be called for each row. */
  default boolean runsCompiledCode() {
    return false;
  }

  /** Hands over the columns that are read, once for each use. */
  void forEachColumn(IntConsumer columns);

  /** What the columns need to be evaluated at {@code rows}. */
  default List<RowGroup.Need> needs(Selection rows) {
    List<RowGroup.Need> needs = new ArrayList<>();
    forEachColumn(c -> needs.add(new RowGroup.Need(c, rows, true)));
    return needs;
  }

  private static Cursor ofColumn(ScanFilter filter, int column, int use, PredicateCursor values) {
    return (group, rows) -> {
      group.fetch(filter.needs(rows));
      return group.cursor(column, use, rows).filter(rows, values);
    };
  }

  /**
   * A predicate on one column.
   *
   * @param column index of the column, see {@link ScanSpec}
   * @param use which of the scan's uses of columns this is, see {@link RowGroup#cursor}
   */
  record ColumnFilter(int column, int use, ColumnPredicate predicate, String text)
      implements ScanFilter {
    @Override
    public Cursor cursor() {
      return ofColumn(this, column, use, predicate.cursor());
    }

    @Override
    public boolean allPass(RowGroup group) throws IOException {
      return group.allPass(column, predicate);
    }

    @Override
    public boolean runsCompiledCode() {
      return predicate instanceof CompiledPredicate;
    }

    @Override
    public void forEachColumn(IntConsumer columns) {
      columns.accept(column);
    }
  }

  /** Filters that must all be TRUE, in the order in which they are evaluated. */
  record And(List<ScanFilter> parts, String text) implements ScanFilter {
    @Override
    public Cursor cursor() {
      List<Cursor> cursors = parts.stream().map(ScanFilter::cursor).toList();
      return (group, rows) -> {
        Selection left = rows;
        for (int i = 0; i < cursors.size() && !left.isNone(); i++) {
          left = cursors.get(i).filter(group, left);
        }
        return left;
      };
    }

    @Override
    public boolean allPass(RowGroup group) throws IOException {
      for (ScanFilter part : parts) {
        if (!part.allPass(group)) {
          return false;
        }
      }
      return true;
    }

    @Override
    public boolean runsCompiledCode() {
      return parts.stream().anyMatch(ScanFilter::runsCompiledCode);
    }

    @Override
    public void forEachColumn(IntConsumer columns) {
      parts.forEach(p -> p.forEachColumn(columns));
    }
  }

  /**
   * A predicate on one column that the keys of a join make. The keys may be many: they are not part
   * of the task, which asks for them when it filters.
   */
  record JoinKeyFilter(int column, int use, JoinKeySource keys, String text) implements ScanFilter {
    @Override
    public Cursor cursor() {
      return ofColumn(this, column, use, keys.predicate().cursor());
    }

    @Override
    public boolean allPass(RowGroup group) throws IOException {
      return group.allPass(column, keys.predicate());
    }

    @Override
    public void forEachColumn(IntConsumer columns) {
      columns.accept(column);
    }
  }

  /** Where a task finds the keys of a join; the predicate is the same each time. */
  interface JoinKeySource extends Serializable {
    ColumnPredicate predicate();
  }

  /**
   * A filter that need not be evaluated for the answer to be right: what the query does with the
   * rows drops those that do not pass.
   */
  record OptionalFilter(ScanFilter filter, String text) implements ScanFilter {
    @Override
    public Cursor cursor() {
      return filter.cursor();
    }

    @Override
    public boolean allPass(RowGroup group) throws IOException {
      return filter.allPass(group);
    }

    @Override
    public boolean runsCompiledCode() {
      return filter.runsCompiledCode();
    }

    @Override
    public void forEachColumn(IntConsumer columns) {
      filter.forEachColumn(columns);
    }
  }

  /** Filters of which one must be TRUE; each is evaluated only where none before it was. */
  record Or(List<ScanFilter> arms, String text) implements ScanFilter {
    @Override
    public Cursor cursor() {
      List<Cursor> cursors = arms.stream().map(ScanFilter::cursor).toList();
      return (group, rows) -> {
        Selection open = rows;
        for (int i = 0; i < cursors.size() && !open.isNone(); i++) {
          open = open.minus(cursors.get(i).filter(group, open));
        }
        return rows.minus(open);
      };
    }

    @Override
    public boolean allPass(RowGroup group) throws IOException {
      for (ScanFilter arm : arms) {
        if (arm.allPass(group)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public boolean runsCompiledCode() {
      return arms.stream().anyMatch(ScanFilter::runsCompiledCode);
    }

    @Override
    public void forEachColumn(IntConsumer columns) {
      arms.forEach(a -> a.forEachColumn(columns));
    }
  }
}
