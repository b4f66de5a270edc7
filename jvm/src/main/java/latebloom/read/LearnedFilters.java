// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import latebloom.read.selection.Selection;
import latebloom.read.task.RecentlyUsed;

/**
 * What the tasks of an executor have learned of the filters of one scan: the share of the rows that
 * passes each and all of them, and the order in which they cost least. Thread safe.
 *
 * <p>Order is measured on samples ({@link FilterSample}), which cost something: they are taken ever
 * more seldom while nothing changes, and again soon when the first filter passes another share of
 * the rows than it did.
 */
final class LearnedFilters {
  /** Scans that are remembered. What is forgotten is learned again. */
  private static final int SCANS = 256;

  /** Windows between two samples, at most; row groups between two tries to prune. */
  private static final int SELDOM = 32;

  /** After so many row groups of which they ruled nothing out, indexes are read seldom. */
  private static final int UNPRUNED = 4;

  /** An order must promise to cost less than this share of the present one's cost to replace it. */
  private static final double CLEARLY_LESS = 0.9;

  /** Where the first filter passes less than this, order can save little. */
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

  /** Of the scan that {@code spec} is the work of, the same for all its tasks in this process. */
  static LearnedFilters of(ScanSpec spec) {
    return BY_SCAN.computeIfAbsent(
        spec.id(), id -> new LearnedFilters(spec.filters().ordered().size()));
  }

  /** All filters, in the order in which they are to be evaluated. Not to be changed. */
  synchronized int[] order() {
    return order;
  }

  /** Share of the rows that pass a filter of those that reach it; NaN while unknown. */
  synchronized double passing(int filter) {
    return passing[filter];
  }

  /** Share of the rows that pass all filters; NaN while unknown. */
  synchronized double surviving() {
    return surviving;
  }

  /**
   * Share of the stretches of a window that have a row that passes, see {@link Selection#spread};
   * NaN while unknown.
   */
  synchronized double spread() {
    return spread;
  }

  synchronized void observeSpread(Selection window, Selection survivors) {
    double of = window.spread();
    double now = of == 0 ? 0 : survivors.spread() / of;
    spread = Double.isNaN(spread) ? now : (spread + now) / 2;
  }

  /** Whether indexes are worth reading: now and then, where they have ruled nothing out so far. */
  synchronized boolean pruningPays() {
    return unpruned < UNPRUNED || unpruned % SELDOM == 0;
  }

  synchronized void observePruning(boolean ruledOut) {
    unpruned = ruledOut ? 0 : unpruned + 1;
  }

  /** A window has been filtered, {@code out} of {@code in} rows having passed each filter. */
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
   * Whether the caller's next window is to be a sample; asked once a window. The first window of a
   * scan never is: it shows whether there is something to gain.
   */
  synchronized boolean takeSample() {
    boolean due = windows++ >= nextSample;
    if (due) {
      nextSample = windows + gap;
      gap = Math.min(2 * gap, SELDOM);
    }
    return due && !(passing[order[0]] < NEXT_TO_NOTHING);
  }

  /** Takes the better order, if the sample clearly shows one; whether it did. */
  synchronized boolean learn(FilterSample sample) {
    int[] measured = sample.filters();
    int[] best = sample.best();
    boolean better = sample.cost(best) < CLEARLY_LESS * sample.cost(order);
    if (better) {
      // What was not measured stays where it is.
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
