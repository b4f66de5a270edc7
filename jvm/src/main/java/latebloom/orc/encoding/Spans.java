// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

/** Finds spans of indexes that lie close together. */
final class Spans {
  private Spans() {}

  /** The end of the {@code indexes[from, n)} that lie less than {@code span} after the first. */
  static int stop(int[] indexes, int from, int n, int span) {
    int first = indexes[from];
    if (indexes[n - 1] - first < span) {
      return n;
    }
    int stop = from + 1;
    while (indexes[stop] - first < span) {
      stop++;
    }
    return stop;
  }
}
