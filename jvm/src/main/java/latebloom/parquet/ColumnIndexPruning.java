// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import latebloom.line.ColumnVisitor;
import latebloom.read.selection.Selection;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.filter2.predicate.Operators;
import org.apache.parquet.filter2.predicate.UserDefinedPredicate;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.internal.filter2.columnindex.ColumnIndexFilter;
import org.apache.parquet.internal.filter2.columnindex.ColumnIndexStore;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.apache.parquet.schema.MessageType;

/** Rules rows out by the minima and maxima of pages. */
final class ColumnIndexPruning {
  private final FilterCompat.Filter filter;
  private final Set<ColumnPath> paths;
  private final List<ColumnDescriptor> columns = new ArrayList<>();

  ColumnIndexPruning(MessageType file, FilterPredicate predicate) {
    this.filter = FilterCompat.get(predicate);
    this.paths = predicate.accept(new Columns());
    for (ColumnDescriptor c : file.getColumns()) {
      if (paths.contains(ColumnPath.get(c.getPath()))) {
        columns.add(c);
      }
    }
  }

  /** The columns that the predicate compares. */
  List<ColumnDescriptor> columns() {
    return columns;
  }

  /** The rows of a row group that may pass; all without a valid index. */
  Selection rows(int rows, ColumnIndexStore indexes) {
    RowRanges ranges;
    try {
      ranges = ColumnIndexFilter.calculateRowRanges(filter, indexes, paths, rows);
    } catch (RuntimeException e) {
      return Selection.all(rows);
    }
    List<RowRanges.Range> runs = ranges.getRanges();
    int[] starts = new int[runs.size()];
    int[] ends = new int[runs.size()];
    for (int i = 0; i < starts.length; i++) {
      starts[i] = Math.toIntExact(runs.get(i).from);
      ends[i] = (int) Math.min(runs.get(i).to + 1, rows);
    }
    return starts.length == 0 ? Selection.none(rows) : Selection.ofRuns(rows, starts, ends);
  }

  /** Collects the columns of a predicate. */
  private static final class Columns extends ColumnVisitor<Set<ColumnPath>> {
    @Override
    protected Set<ColumnPath> ofColumn(Operators.Column<?> c) {
      return of(c);
    }

    private static Set<ColumnPath> of(Operators.Column<?> c) {
      return Set.of(c.getColumnPath());
    }

    private Set<ColumnPath> both(FilterPredicate left, FilterPredicate right) {
      Set<ColumnPath> all = new LinkedHashSet<>(left.accept(this));
      all.addAll(right.accept(this));
      return all;
    }

    @Override
    public <T extends Comparable<T>> Set<ColumnPath> visit(Operators.Eq<T> e) {
      return of(e.getColumn());
    }

    @Override
    public <T extends Comparable<T>> Set<ColumnPath> visit(Operators.NotEq<T> e) {
      return of(e.getColumn());
    }

    @Override
    public <T extends Comparable<T>> Set<ColumnPath> visit(Operators.Lt<T> e) {
      return of(e.getColumn());
    }

    @Override
    public <T extends Comparable<T>> Set<ColumnPath> visit(Operators.LtEq<T> e) {
      return of(e.getColumn());
    }

    @Override
    public <T extends Comparable<T>> Set<ColumnPath> visit(Operators.Gt<T> e) {
      return of(e.getColumn());
    }

    @Override
    public <T extends Comparable<T>> Set<ColumnPath> visit(Operators.GtEq<T> e) {
      return of(e.getColumn());
    }

    @Override
    public <T extends Comparable<T>> Set<ColumnPath> visit(Operators.In<T> e) {
      return of(e.getColumn());
    }

    @Override
    public <T extends Comparable<T>> Set<ColumnPath> visit(Operators.NotIn<T> e) {
      return of(e.getColumn());
    }

    @Override
    public Set<ColumnPath> visit(Operators.And e) {
      return both(e.getLeft(), e.getRight());
    }

    @Override
    public Set<ColumnPath> visit(Operators.Or e) {
      return both(e.getLeft(), e.getRight());
    }

    @Override
    public Set<ColumnPath> visit(Operators.Not e) {
      return e.getPredicate().accept(this);
    }

    @Override
    public <T extends Comparable<T>, U extends UserDefinedPredicate<T>> Set<ColumnPath> visit(
        Operators.UserDefined<T, U> e) {
      return of(e.getColumn());
    }

    @Override
    public <T extends Comparable<T>, U extends UserDefinedPredicate<T>> Set<ColumnPath> visit(
        Operators.LogicalNotUserDefined<T, U> e) {
      return of(e.getUserDefined().getColumn());
    }
  }
}
