// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

/** Reads one column's byte strings, by index among the non-null values. */
public interface StringValues {
  /**
   * Writes the offsets and lengths in {@link #data()} of the values at {@code indexes[0, n)}, which
   * ascend and follow those of earlier calls.
   */
  void locate(int[] indexes, int n, int[] offsets, int[] lengths);

  /** The array of the last {@link #locate}'s values; valid until the next call. */
  byte[] data();
}
