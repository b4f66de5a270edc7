// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.util.Arrays;
import latebloom.read.selection.Selection;

/**
 * Measures several filters on the same rows, each on all of them, so that the cost of any order can
 * be computed: how many rows reach each filter, and how long each takes.
 *
 * <p>A filter that runs Spark's compiled code row by row is measured only on the rows that the
 * others keep, if any, and assumed to pass the same share of the other rows.
 */
final class FilterSample {
  private final Selection rows;
  private final int[] filters; // ascending
  private final Selection[] asked;
  private final Selection[] passed;
  private final double[] cost;

  /**
   * @param rows the sampled rows
   * @param filters the filters to measure, ascending
   */
  FilterSample(Selection rows, int[] filters) {
    this.rows = rows;
    this.filters = filters;
    this.asked = new Selection[filters.length];
    this.passed = new Selection[filters.length];
    this.cost = new double[filters.length];
    Arrays.fill(cost, Double.POSITIVE_INFINITY);
  }

  /** The measured filters. */
  int[] filters() {
    return filters;
  }

  /**
   * Records that the filter at {@code i} of {@link #filters} kept {@code out} of {@code in}, not
   * none.
   */
  void measured(int i, Selection in, Selection out, long nanos) {
    asked[i] = in;
    passed[i] = out;
    cost[i] = (double) nanos / in.count();
  }

  /** Share of the rows that pass the filter at {@code i}. */
  double passing(int i) {
    return asked[i] == null ? 1 : (double) passed[i].count() / asked[i].count();
  }

  /**
   * The filters ordered by cost per dropped row, each on the rows that those before it keep: of two
   * filters that drop the same rows only one comes early.
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

  /** Nanoseconds to filter all rows in an order of the filters, unmeasured ones excluded. */
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
