// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

/**
 * The values of one page of a column of fixed width, found by their index among the page's values.
 * Values come as raw {@code long}s: integers sign-extended, floats and doubles as their bits,
 * booleans as 0 or 1, INT96 timestamps as microseconds.
 */
interface FixedValues {
  /**
   * Writes the values at {@code indexes[0, n)}, which ascend and follow those of earlier calls; of
   * PLAIN values, in any order.
   */
  void read(int[] indexes, int n, long[] out);
}
