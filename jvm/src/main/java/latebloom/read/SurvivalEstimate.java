// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

/**
 * What share of the rows each filter, and all of them together, let pass, learned from the windows
 * of a file that have been filtered. The newest window weighs as much as all before it, so that a
 * change in mid-file is followed within two row groups.
 */
final class SurvivalEstimate {
  private final double[] filters;
  private double all = Double.NaN;

  SurvivalEstimate(int filters) {
    this.filters = new double[filters];
    java.util.Arrays.fill(this.filters, Double.NaN);
  }

  /** Share of the rows that pass filter {@code i} of those that reach it; 1 while unknown. */
  double of(int i) {
    return Double.isNaN(filters[i]) ? 1 : filters[i];
  }

  boolean isKnown(int i) {
    return !Double.isNaN(filters[i]);
  }

  /** Share of the rows that pass all filters; 0 while unknown, so that a file starts late. */
  double survival() {
    return Double.isNaN(all) ? 0 : all;
  }

  void observe(int filter, int in, int out) {
    filters[filter] = mix(filters[filter], in, out);
  }

  void observeAll(int in, int out) {
    all = mix(all, in, out);
  }

  private static double mix(double before, int in, int out) {
    double now = in == 0 ? 0 : (double) out / in;
    return Double.isNaN(before) ? now : (before + now) / 2;
  }
}
