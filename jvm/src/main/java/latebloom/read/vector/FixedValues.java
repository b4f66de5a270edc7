// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

/**
 * Reads one column's values of fixed width, by index among the non-null values. Values are raw
 * {@code long}s: integers sign-extended, floats and doubles as their bits, booleans as 0 or 1,
 * timestamps as microseconds.
 */
public interface FixedValues {
  /**
   * Writes the values at {@code indexes[0, n)}, which ascend and follow those of earlier calls;
   * Parquet's PLAIN values may come in any order.
   */
  void read(int[] indexes, int n, long[] out);
}
