// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

/**
 * Values of fixed width of one column, found by their index among those that are not null. Values
 * come as raw {@code long}s: integers sign-extended, floats and doubles as their bits, booleans as
 * 0 or 1, timestamps as microseconds.
 */
public interface FixedValues {
  /**
   * Writes the values at {@code indexes[0, n)}, which ascend and follow those of earlier calls; of
   * PLAIN values of Parquet, in any order.
   */
  void read(int[] indexes, int n, long[] out);
}
