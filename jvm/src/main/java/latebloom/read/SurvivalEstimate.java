// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.util.Arrays;

/**
 * Estimates the share of rows that passes each filter, and all of them, from the filtered windows
 * of a file, or before the first window from the scan's other files. The newest window weighs as
 * much as all before it, so the estimate follows a change in mid-file within two row groups.
 */
final class SurvivalEstimate {
  private final LearnedFilters learned;
  private final double[] filters;
  private double all = Double.NaN;

  SurvivalEstimate(int filters, LearnedFilters learned) {
    this.learned = learned;
    this.filters = new double[filters];
    Arrays.fill(this.filters, Double.NaN);
  }

  /** Share of the rows reaching filter {@code i} that pass it; 1 while unknown. */
  double of(int i) {
    double known = known(i);
    return Double.isNaN(known) ? 1 : known;
  }

  boolean isKnown(int i) {
    return !Double.isNaN(known(i));
  }

  private double known(int i) {
    return Double.isNaN(filters[i]) ? learned.passing(i) : filters[i];
  }

  /** Share of the rows that pass all filters; 0 while unknown, so that a scan starts late. */
  double survival() {
    double known = Double.isNaN(all) ? learned.surviving() : all;
    return Double.isNaN(known) ? 0 : known;
  }

  void observe(int filter, int in, int out) {
    filters[filter] = mix(filters[filter], in, out);
    learned.observe(filter, in, out);
  }

  void observeAll(int in, int out) {
    all = mix(all, in, out);
    learned.observeAll(in, out);
  }

  static double mix(double before, int in, int out) {
    double now = in == 0 ? 0 : (double) out / in;
    return Double.isNaN(before) ? now : (before + now) / 2;
  }
}
