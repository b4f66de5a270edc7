// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.CompiledPredicate;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.selection.Selection;

/**
 * A condition that the scan evaluates: a tree of predicates on one column or several. It needs no
 * three-valued logic: a row passes AND when all parts are TRUE, and OR when one is. Immutable: a
 * {@link Cursor} filters rows, one for each scan of a file.
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
     * Returns those of {@code rows} for which the condition is TRUE. Fetches missing bytes, and
     * only for rows that reach each part.
     */
    Selection filter(RowGroup group, Selection rows) throws IOException;
  }

  /** Whether statistics prove that every row of the group passes. */
  boolean allPass(RowGroup group) throws IOException;

  /** Whether evaluation may call Spark's compiled code for each row. */
  default boolean runsCompiledCode() {
    return false;
  }

  /** Passes the columns that the filter reads, once per use. */
  void forEachColumn(IntConsumer columns);

  /** The needs of the columns for evaluation at {@code rows}. */
  default List<RowGroup.Need> needs(Selection rows) {
    List<RowGroup.Need> needs = new ArrayList<>();
    forEachColumn(c -> needs.add(new RowGroup.Need(c, rows, true)));
    return needs;
  }

  /**
   * Filters by a predicate on one column.
   *
   * @param predicate may become stricter from one call to the next
   */
  private static Cursor ofColumn(
      ScanFilter filter, int column, int use, Supplier<ColumnPredicate> predicate) {
    return new Cursor() {
      private ColumnPredicate known;
      private PredicateCursor values;

      @Override
      public Selection filter(RowGroup group, Selection rows) throws IOException {
        ColumnPredicate now = predicate.get();
        if (now != known) {
          known = now;
          values = now.cursor();
        }
        group.fetch(filter.needs(rows));
        return group.cursor(column, use, rows).filter(rows, values);
      }
    };
  }

  /**
   * A predicate on one column.
   *
   * @param column index of the column, see {@link ScanSpec}
   * @param use number of this use among the scan's uses of columns, see {@link RowGroup#cursor}
   */
  record ColumnFilter(int column, int use, ColumnPredicate predicate, String text)
      implements ScanFilter {
    @Override
    public Cursor cursor() {
      return ofColumn(this, column, use, () -> predicate);
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

  /** Filters that must all be TRUE, in the order of evaluation. */
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
   * A predicate on one column, made of the keys of a join or of a bound. The keys may be many, so
   * the task does not carry them but looks them up when it filters.
   */
  record JoinKeyFilter(int column, int use, KeySource keys, String text) implements ScanFilter {
    @Override
    public Cursor cursor() {
      return ofColumn(this, column, use, keys::predicate);
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

  /** Finds in a task what may be known only after the scan began. */
  interface KeySource extends Serializable {

    /** Whether the predicate is known by now. Once it is, it stays so. */
    boolean isKnown();

    /**
     * The predicate, which must be known. A later one passes no value that an earlier one does not.
     */
    ColumnPredicate predicate();
  }

  /** Finds the keys of a join in a task: the same predicate each time. */
  interface JoinKeySource extends KeySource {}

  /**
   * A filter that the answer does not need: later operators drop the rows that it would drop. It
   * must not be evaluated before its keys are known.
   */
  record OptionalFilter(ScanFilter filter, KeySource keys, String text) implements ScanFilter {
    /** Whether it compares with a bound, rather than with the keys of a join. */
    public boolean isBound() {
      return !(keys instanceof JoinKeySource);
    }

    /** The filter costs more than it saves if it passes more than this share of the rows. */
    public static final double MOST_PASSING = 0.8;

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

  /** Filters of which one must be TRUE; each sees only rows that all before it rejected. */
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
