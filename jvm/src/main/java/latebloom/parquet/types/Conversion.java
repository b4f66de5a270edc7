// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.types;

/** What turns the values of a column as they lie in the file into what Spark holds. */
public sealed interface Conversion {

  /** Of values that are numbers in the file and for Spark, in place; see {@link Conversions}. */
  non-sealed interface OfNumbers extends Conversion {
    void apply(long[] values, int n);

    /** Values from this one on are left as they are. */
    default long sameFrom() {
      return Long.MAX_VALUE;
    }
  }

  /**
   * Of numbers to decimals that Spark holds as bytes, with more digits after the point. The bytes
   * are the big-endian two's complement of the unscaled value; so are those that the file holds, if
   * it holds bytes.
   *
   * @param digits by how many digits the scale grows
   * @param unsigned whether 64-bit integers of the file have no sign
   */
  record ToDecimalBytes(int digits, boolean unsigned) implements Conversion {}
}
