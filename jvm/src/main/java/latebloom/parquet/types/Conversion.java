// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.types;

/** Converts a column's values from the file's representation to Spark's. */
public sealed interface Conversion {

  /** Converts numbers to numbers, in place; see {@link Conversions}. */
  non-sealed interface OfNumbers extends Conversion {
    void apply(long[] values, int n);

    /** Values from this one on stay unchanged. */
    default long sameFrom() {
      return Long.MAX_VALUE;
    }
  }

  /**
   * Converts to decimals that Spark holds as bytes, with more digits after the point. The bytes are
   * the big-endian two's complement of the unscaled value, in Spark and in a file that has bytes.
   *
   * @param digits number of digits by which the scale grows
   * @param unsigned whether 64-bit integers of the file have no sign
   */
  record ToDecimalBytes(int digits, boolean unsigned) implements Conversion {}
}
