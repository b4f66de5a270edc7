// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import latebloom.read.selection.Selection;
import latebloom.read.task.RecentlyUsed;

/**
 * Statistics about the filters of one scan, shared by the tasks of an executor: the share of rows
 * that passes each and all of them, and the cheapest order. Thread safe.
 *
 * <p>The order comes from samples ({@link FilterSample}), which cost time: they become rarer while
 * nothing changes, and frequent again when the first filter's share of passing rows changes.
 */
final class LearnedFilters {
  /** Scans to remember. Tasks learn forgotten ones again. */
  private static final int SCANS = 256;

  /** Most windows between two samples, and row groups between two attempts to prune. */
  private static final int SELDOM = 32;

  /** After so many row groups in which indexes ruled out nothing, they are read seldom. */
  private static final int UNPRUNED = 4;

  /** A new order replaces the current one if it promises less than this share of its cost. */
  private static final double CLEARLY_LESS = 0.9;

  /** If the first filter passes a smaller share than this, order can save little. */
  private static final double NEXT_TO_NOTHING = 0.02;

  private static final Map<String, LearnedFilters> BY_SCAN = RecentlyUsed.map(SCANS);

  private final double[] passing;
  private double surviving = Double.NaN;
  private double spread = Double.NaN;
  private int unpruned;
  private int[] order;
  private double expected = Double.NaN;
  private int windows;
  private int gap = 1;
  private int nextSample = 1;

  LearnedFilters(int filters) {
    passing = new double[filters];
    Arrays.fill(passing, Double.NaN);
    order = IntStream.range(0, filters).toArray();
  }

  /** The statistics of the scan of {@code spec}, shared by all its tasks in this process. */
  static LearnedFilters of(ScanSpec spec) {
    return BY_SCAN.computeIfAbsent(
        spec.id(), id -> new LearnedFilters(spec.filters().ordered().size()));
  }

  /** All filters, in the order of evaluation. Callers must not change the array. */
  synchronized int[] order() {
    return order;
  }

  /** Share of the rows reaching a filter that pass it; NaN while unknown. */
  synchronized double passing(int filter) {
    return passing[filter];
  }

  /** Share of the rows that pass all filters; NaN while unknown. */
  synchronized double surviving() {
    return surviving;
  }

  /**
   * Share of a window's equal parts that hold a passing row, see {@link Selection#spread}; NaN
   * while unknown.
   */
  synchronized double spread() {
    return spread;
  }

  synchronized void observeSpread(Selection window, Selection survivors) {
    double of = window.spread();
    double now = of == 0 ? 0 : survivors.spread() / of;
    spread = Double.isNaN(spread) ? now : (spread + now) / 2;
  }

  /** Whether to read indexes; only now and then if they have ruled out nothing so far. */
  synchronized boolean pruningPays() {
    return unpruned < UNPRUNED || unpruned % SELDOM == 0;
  }

  synchronized void observePruning(boolean ruledOut) {
    unpruned = ruledOut ? 0 : unpruned + 1;
  }

  /** Records that {@code out} of {@code in} rows of a window passed a filter. */
  synchronized void observe(int filter, int in, int out) {
    passing[filter] = SurvivalEstimate.mix(passing[filter], in, out);
    if (filter == order[0] && !Double.isNaN(expected)) {
      double now = in == 0 ? 0 : (double) out / in;
      if (Math.abs(now - expected) > 0.1) {
        gap = 1;
        nextSample = Math.min(nextSample, windows + 1);
        expected = Double.NaN;
      }
    }
  }

  synchronized void observeAll(int in, int out) {
    surviving = SurvivalEstimate.mix(surviving, in, out);
  }

  /**
   * Whether the caller's next window is to be a sample; callers ask once per window. The first
   * window of a scan never is: it shows whether there is something to gain.
   */
  synchronized boolean takeSample() {
    boolean due = windows++ >= nextSample;
    if (due) {
      nextSample = windows + gap;
      gap = Math.min(2 * gap, SELDOM);
    }
    return due && !(passing[order[0]] < NEXT_TO_NOTHING);
  }

  /** Adopts a better order if the sample clearly shows one; returns whether it did. */
  synchronized boolean learn(FilterSample sample) {
    int[] measured = sample.filters();
    int[] best = sample.best();
    boolean better = sample.cost(best) < CLEARLY_LESS * sample.cost(order);
    if (better) {
      // Unmeasured filters keep their places.
      int[] changed = order.clone();
      int next = 0;
      for (int at = 0; at < changed.length; at++) {
        if (Arrays.binarySearch(measured, changed[at]) >= 0) {
          changed[at] = best[next++];
        }
      }
      order = changed;
    }
    int first = Arrays.binarySearch(measured, order[0]);
    expected = first >= 0 ? sample.passing(first) : Double.NaN;
    return better;
  }
}
