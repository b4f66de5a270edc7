// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.util.Arrays;
import latebloom.read.selection.Selection;

/**
 * What each of some filters does to the same rows, none of them behind another, so that any order
 * of them can be reckoned: how many rows reach each one, and what that takes.
 *
 * <p>A filter that runs Spark's compiled code row by row is asked only of the rows that the others
 * leave, if any; of the rows that it was not asked of it is taken to pass the same share.
 */
final class FilterSample {
  private final Selection rows;
  private final int[] filters; // ascending
  private final Selection[] asked;
  private final Selection[] passed;
  private final double[] cost;

  /**
   * @param rows what was sampled
   * @param filters which filters are to be measured, ascending
   */
  FilterSample(Selection rows, int[] filters) {
    this.rows = rows;
    this.filters = filters;
    this.asked = new Selection[filters.length];
    this.passed = new Selection[filters.length];
    this.cost = new double[filters.length];
    Arrays.fill(cost, Double.POSITIVE_INFINITY);
  }

  /** Which filters are measured. */
  int[] filters() {
    return filters;
  }

  /** The filter at {@code i} of {@link #filters} let {@code out} of {@code in}, not none, pass. */
  void measured(int i, Selection in, Selection out, long nanos) {
    asked[i] = in;
    passed[i] = out;
    cost[i] = (double) nanos / in.count();
  }

  /** Share of the rows that the filter at {@code i} lets pass. */
  double passing(int i) {
    return asked[i] == null ? 1 : (double) passed[i].count() / asked[i].count();
  }

  /**
   * The filters by what a dropped row costs, each where those before it have left their rows: two
   * filters that drop the same rows are not both put in front.
   */
  int[] best() {
    int[] order = new int[filters.length];
    boolean[] taken = new boolean[filters.length];
    Selection left = rows;
    for (int at = 0; at < order.length; at++) {
      int next = -1;
      double least = Double.POSITIVE_INFINITY;
      for (int i = 0; i < filters.length; i++) {
        if (!taken[i]) {
          double price = cost[i] / Math.max(1 - passing(i, left), 1e-9);
          if (next < 0 || price < least) {
            next = i;
            least = price;
          }
        }
      }
      taken[next] = true;
      order[at] = filters[next];
      left = asked[next] == rows ? left.intersect(passed[next]) : left;
    }
    return order;
  }

  /**
   * Nanoseconds that filtering all rows takes in an order of the filters; those not measured aside.
   */
  double cost(int[] order) {
    double total = 0;
    double reaching = rows.count();
    Selection left = rows;
    for (int filter : order) {
      int i = Arrays.binarySearch(filters, filter);
      if (i >= 0 && asked[i] != null) {
        total += cost[i] * reaching;
        reaching *= passing(i, left);
        left = asked[i] == rows ? left.intersect(passed[i]) : left;
      }
    }
    return total;
  }

  private double passing(int i, Selection left) {
    if (asked[i] != rows) {
      return passing(i);
    }
    return left.isNone() ? 1 : (double) left.intersect(passed[i]).count() / left.count();
  }
}
