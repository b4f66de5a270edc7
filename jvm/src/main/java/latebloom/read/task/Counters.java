// SPDX-License-Identifier: Apache-2.0
package latebloom.read.task;

import java.util.Arrays;

/**
 * Running totals of one file's scan, owned by one thread. Plain longs, so that counting is free.
 */
public final class Counters {
  private static final Counter[] ALL = Counter.values();

  private static final long[] NONE = {};

  /** Numbers of a filter, see {@link #filtered}. */
  private static final int OF_FILTER = 3;

  private final long[] totals = new long[ALL.length];
  private final ColumnCounts columns = new ColumnCounts();
  private long[] filters = NONE;

  /** Receives the totals since the last drain. */
  @FunctionalInterface
  public interface Sink {
    void add(Counter counter, long amount);
  }

  public void add(Counter counter, long amount) {
    totals[counter.ordinal()] += amount;
  }

  /** Raises a peak. */
  public void atLeast(Counter counter, long amount) {
    totals[counter.ordinal()] = Math.max(totals[counter.ordinal()], amount);
  }

  /**
   * Adds what a filter has done.
   *
   * @param filter its number among the scan's
   * @param rows that reached it
   */
  public void filtered(int filter, long rows, long passed, long nanos) {
    int at = OF_FILTER * filter;
    if (filters.length < at + OF_FILTER) {
      filters = Arrays.copyOf(filters, at + OF_FILTER);
    }
    filters[at] += rows;
    filters[at + 1] += passed;
    filters[at + 2] += nanos;
  }

  /**
   * Returns rows reached, rows passed and nanoseconds of each filter, one after another, since the
   * last call; empty without any.
   */
  public long[] takeFilters() {
    long[] taken = filters;
    filters = NONE;
    return taken;
  }

  /** What was decoded and skipped of each column. */
  public ColumnCounts columns() {
    return columns;
  }

  public long get(Counter counter) {
    return totals[counter.ordinal()];
  }

  /** Passes every non-zero total to {@code sink} and resets it. */
  public void drainTo(Sink sink) {
    for (Counter c : ALL) {
      long n = totals[c.ordinal()];
      if (n != 0) {
        totals[c.ordinal()] = 0;
        sink.add(c, n);
      }
    }
  }
}
