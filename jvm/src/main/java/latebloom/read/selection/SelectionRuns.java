// SPDX-License-Identifier: Apache-2.0
package latebloom.read.selection;

import java.util.Arrays;

/**
 * A selection as runs {@code [starts[i], ends[i])}: not empty, ascending, with at least one row
 * between neighbours, at most {@link Selection#maxRuns} of them.
 */
final class SelectionRuns extends Selection {
  private final int[] starts;
  private final int[] ends;

  /** How many rows the runs before run i select. */
  private final int[] before;

  SelectionRuns(int rows, int[] starts, int[] ends) {
    this(rows, starts, ends, ranks(starts, ends));
  }

  private SelectionRuns(int rows, int[] starts, int[] ends, int[] before) {
    super(rows, before[starts.length]);
    this.starts = starts;
    this.ends = ends;
    this.before = before;
  }

  private static int[] ranks(int[] starts, int[] ends) {
    int[] before = new int[starts.length + 1];
    for (int i = 0; i < starts.length; i++) {
      before[i + 1] = before[i] + ends[i] - starts[i];
    }
    return before;
  }

  /** The first run that ends after {@code row}; the number of runs if none does. */
  private int runEndingAfter(int row) {
    int low = 0;
    int high = ends.length;
    while (low < high) {
      int mid = (low + high) >>> 1;
      if (ends[mid] <= row) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    return low;
  }

  /** How many selected rows precede {@code row}. */
  private int rank(int row) {
    int run = runEndingAfter(row);
    return before[run] + (run < starts.length ? Math.max(0, row - starts[run]) : 0);
  }

  @Override
  public int countIn(int from, int to) {
    return rank(to) - rank(from);
  }

  @Override
  public int nextSelected(int from) {
    int run = runEndingAfter(from);
    return run == starts.length ? -1 : Math.max(from, starts[run]);
  }

  @Override
  public int nextUnselected(int from) {
    int run = runEndingAfter(from);
    return run < starts.length && starts[run] <= from ? ends[run] : from;
  }

  @Override
  public int positions(int from, int to, int max, int[] out) {
    int n = 0;
    for (int run = runEndingAfter(from); run < starts.length && n < max; run++) {
      int row = Math.max(from, starts[run]);
      int stop = Math.min(to, ends[run]);
      if (row >= stop) {
        break;
      }
      int end = n + Math.min(stop - row, max - n);
      while (n < end) {
        out[n++] = row++;
      }
    }
    return n;
  }

  @Override
  public Selection complement() {
    Builder gaps = new Builder(rows());
    int from = 0;
    for (int i = 0; i < starts.length; i++) {
      gaps.addRange(from, starts[i]);
      from = ends[i];
    }
    gaps.addRange(from, rows());
    return gaps.build();
  }

  @Override
  Selection and(SelectionRuns that) {
    Builder both = new Builder(rows());
    for (int i = 0, j = 0; i < starts.length && j < that.starts.length; ) {
      int from = Math.max(starts[i], that.starts[j]);
      int to = Math.min(ends[i], that.ends[j]);
      if (from < to) {
        both.addRange(from, to);
      }
      if (ends[i] <= that.ends[j]) {
        i++;
      } else {
        j++;
      }
    }
    return both.build();
  }

  @Override
  Selection and(SelectionBitmap that) {
    return that.within(starts, ends);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SelectionRuns that
        && rows() == that.rows()
        && Arrays.equals(starts, that.starts)
        && Arrays.equals(ends, that.ends);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * rows() + Arrays.hashCode(starts)) + Arrays.hashCode(ends);
  }
}
