// SPDX-License-Identifier: Apache-2.0
package latebloom.read.selection;

import java.util.Arrays;
import java.util.Objects;

/**
 * The selected rows of one row group: a set of 0-based positions below {@link #rows()}. Immutable.
 *
 * <p>The content alone chooses between two representations, so that equal selections have equal
 * representations:
 *
 * <ul>
 *   <li>{@link SelectionRuns} when the selected rows form at most {@link #maxRuns} runs, where runs
 *       take no more memory than bits. "All" is one run and "none" is no run: both are free,
 *       however large the row group.
 *   <li>{@link SelectionBitmap} otherwise.
 * </ul>
 *
 * Ranges are half open, and arguments satisfy {@code 0 <= from <= to <= rows()}.
 */
public abstract sealed class Selection permits SelectionRuns, SelectionBitmap {
  private static final int[] NO_ROWS = {};
  private static final int STRETCHES = 128;

  private final int rows;
  private final int count;

  /** Negative until computed; threads that compute it at once get the same result. */
  private double spread = -1;

  Selection(int rows, int count) {
    this.rows = rows;
    this.count = count;
  }

  /** Every row. */
  public static Selection all(int rows) {
    return rows == 0 ? none(0) : new SelectionRuns(rows, new int[] {0}, new int[] {rows});
  }

  /** No row. */
  public static Selection none(int rows) {
    if (rows < 0) {
      throw new IllegalArgumentException("a row group cannot have " + rows + " rows");
    }
    return new SelectionRuns(rows, NO_ROWS, NO_ROWS);
  }

  /**
   * The rows of {@code [starts[i], ends[i])} for each i. The runs are not empty, disjoint and
   * ascending; they may touch.
   */
  public static Selection ofRuns(int rows, int[] starts, int[] ends) {
    if (starts.length != ends.length) {
      throw new IllegalArgumentException(starts.length + " starts for " + ends.length + " ends");
    }
    Builder builder = new Builder(rows);
    int previous = 0;
    for (int i = 0; i < starts.length; i++) {
      if (starts[i] < previous || ends[i] <= starts[i]) {
        throw new IllegalArgumentException(
            "run "
                + i
                + " is ["
                + starts[i]
                + ", "
                + ends[i]
                + ") after one that ends at "
                + previous);
      }
      builder.addRange(starts[i], ends[i]);
      previous = ends[i];
    }
    return builder.build();
  }

  /**
   * The largest number of runs that is stored as runs: two ints per run, against one bit per row.
   */
  static int maxRuns(int rows) {
    return Math.max(4, rows >>> 6);
  }

  /** How many rows the row group has. */
  public final int rows() {
    return rows;
  }

  /** How many rows are selected. */
  public final int count() {
    return count;
  }

  public final boolean isNone() {
    return count == 0;
  }

  public final boolean isAll() {
    return count == rows;
  }

  /**
   * The share of {@value #STRETCHES} equal parts of the row group that hold a selected row: about
   * the share of a column's pages that are wanted.
   */
  public final double spread() {
    if (spread < 0) {
      spread = measureSpread();
    }
    return spread;
  }

  private double measureSpread() {
    if (isAll()) {
      return 1;
    }
    int wanted = 0;
    int stretches = Math.min(STRETCHES, rows);
    for (int i = 0; i < stretches; i++) {
      int from = (int) ((long) rows * i / stretches);
      wanted += anyIn(from, (int) ((long) rows * (i + 1) / stretches)) ? 1 : 0;
    }
    return (double) wanted / stretches;
  }

  /** Whether a row of {@code [from, to)} is selected. */
  public final boolean anyIn(int from, int to) {
    int next = nextSelected(from);
    return next >= 0 && next < to;
  }

  /** Whether every row of {@code [from, to)} is selected. */
  public final boolean allIn(int from, int to) {
    return from >= to || nextUnselected(from) >= to;
  }

  /** How many rows of {@code [from, to)} are selected. */
  public abstract int countIn(int from, int to);

  /** The first selected row at or after {@code from}, or -1. */
  public abstract int nextSelected(int from);

  /**
   * The first row at or after {@code from} that is not selected; {@code rows()} if there is none.
   */
  public abstract int nextUnselected(int from);

  /**
   * Writes the selected rows of {@code [from, to)}, ascending and at most {@code max} of them, to
   * the front of {@code out}; returns how many it wrote.
   */
  public abstract int positions(int from, int to, int max, int[] out);

  /** The unselected rows. */
  public abstract Selection complement();

  /** The rows in both selections, which must be of one row group. */
  public final Selection intersect(Selection that) {
    if (that.rows != rows) {
      throw new IllegalArgumentException(
          "selections of " + rows + " and of " + that.rows + " rows do not belong together");
    }
    if (isNone() || that.isAll()) {
      return this;
    }
    if (that.isNone() || isAll()) {
      return that;
    }
    return that instanceof SelectionRuns runs ? and(runs) : and((SelectionBitmap) that);
  }

  abstract Selection and(SelectionRuns that);

  abstract Selection and(SelectionBitmap that);

  /** The rows in this selection and not in {@code that}, which must be of the same row group. */
  public final Selection minus(Selection that) {
    return intersect(that.complement());
  }

  /**
   * The selected rows as ranges, flattened to {@code from, to, from, to, …}. Merges ranges with at
   * most {@code maxGap} rows between them, gap included.
   */
  public final int[] ranges(int maxGap) {
    int[] ranges = new int[16];
    int n = 0;
    for (int from = nextSelected(0); from >= 0; ) {
      int to = nextUnselected(from);
      if (n > 0 && from - ranges[n - 1] <= maxGap) {
        ranges[n - 1] = to;
      } else {
        if (n == ranges.length) {
          ranges = Arrays.copyOf(ranges, 2 * n);
        }
        ranges[n++] = from;
        ranges[n++] = to;
      }
      from = nextSelected(to);
    }
    return Arrays.copyOf(ranges, n);
  }

  @Override
  public final String toString() {
    StringBuilder text =
        new StringBuilder().append(count).append(" of ").append(rows).append(" rows");
    int shown = 0;
    for (int from = nextSelected(0); from >= 0; shown++) {
      if (shown == 8) {
        return text.append(", …").toString();
      }
      int to = nextUnselected(from);
      text.append(shown == 0 ? ": " : ", ").append(from);
      if (to > from + 1) {
        text.append('-').append(to - 1);
      }
      from = nextSelected(to);
    }
    return text.toString();
  }

  /**
   * Collects rows in any order, with repetitions. Stores ascending rows as runs while these are
   * few, and as bits from then on or from the first row out of order.
   */
  public static final class Builder {
    private final int rows;
    private int[] starts = new int[4];
    private int[] ends = new int[4];
    private int runs;
    private long[] words;

    public Builder(int rows) {
      if (rows < 0) {
        throw new IllegalArgumentException("a row group cannot have " + rows + " rows");
      }
      this.rows = rows;
    }

    /** Selects one row. */
    public void add(int row) {
      Objects.checkIndex(row, rows);
      if (words == null) {
        addRun(row, row + 1);
      } else {
        words[row >>> 6] |= 1L << row;
      }
    }

    /** Selects the rows of {@code [from, to)}. */
    public void addRange(int from, int to) {
      Objects.checkFromToIndex(from, to, rows);
      if (from == to) {
        return;
      }
      if (words == null) {
        addRun(from, to);
      } else {
        SelectionBitmap.fill(words, from, to);
      }
    }

    /** Selects the first {@code n} of {@code positions}. */
    public void add(int[] positions, int n) {
      int i = 0;
      while (i < n && words == null) {
        add(positions[i++]);
      }
      for (; i < n; i++) {
        int row = Objects.checkIndex(positions[i], rows);
        words[row >>> 6] |= 1L << row;
      }
    }

    /**
     * Selects, of the up to 64 rows from {@code from} on, those whose bits are set.
     *
     * @param bits bit {@code i} selects row {@code from + i}
     */
    public void addBits(int from, long bits) {
      if (bits == 0) {
        return;
      }
      int last = Objects.checkIndex(from + 63 - Long.numberOfLeadingZeros(bits), rows);
      long rest = bits;
      while (rest != 0 && words == null) {
        int first = Long.numberOfTrailingZeros(rest);
        int n = Long.numberOfTrailingZeros(~(rest >>> first));
        addRun(from + first, from + first + n);
        rest = first + n == 64 ? 0 : rest & -1L << first + n;
      }
      if (rest != 0) {
        words[from >>> 6] |= rest << from;
        if (last >>> 6 != from >>> 6) {
          words[last >>> 6] |= rest >>> -from;
        }
      }
    }

    private void addRun(int from, int to) {
      if (runs > 0 && from >= starts[runs - 1] && from <= ends[runs - 1]) {
        ends[runs - 1] = Math.max(ends[runs - 1], to);
      } else if (runs < maxRuns(rows) && (runs == 0 || from > ends[runs - 1])) {
        if (runs == starts.length) {
          starts = Arrays.copyOf(starts, 2 * runs);
          ends = Arrays.copyOf(ends, 2 * runs);
        }
        starts[runs] = from;
        ends[runs++] = to;
      } else {
        words = new long[SelectionBitmap.words(rows)];
        for (int i = 0; i < runs; i++) {
          SelectionBitmap.fill(words, starts[i], ends[i]);
        }
        SelectionBitmap.fill(words, from, to);
      }
    }

    /** The selection of all added rows. The builder must not be used afterwards. */
    public Selection build() {
      return words == null
          ? new SelectionRuns(rows, Arrays.copyOf(starts, runs), Arrays.copyOf(ends, runs))
          : SelectionBitmap.of(rows, words);
    }
  }
}
