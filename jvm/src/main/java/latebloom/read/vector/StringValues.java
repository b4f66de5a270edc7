// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

/** Byte strings of one column, found by their index among those that are not null. */
public interface StringValues {
  /**
   * Writes where in {@link #data()} the values at {@code indexes[0, n)} lie, which ascend and
   * follow those of earlier calls.
   */
  void locate(int[] indexes, int n, int[] offsets, int[] lengths);

  /** What the last {@link #locate} found its values in; good until the next. */
  byte[] data();
}
