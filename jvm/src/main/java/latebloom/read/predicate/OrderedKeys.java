// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.math.BigInteger;

/**
 * The {@code long} key that compares values of fixed width. Keys compare exactly as Spark compares
 * the values: all NaNs are equal and the greatest, and -0.0 equals 0.0.
 *
 * <table>
 * <caption>Keys by Spark type</caption>
 * <tr><th>type</th><th>key</th></tr>
 * <tr><td>byte, short, int, long, date, timestamp, timestamp_ntz, intervals</td><td>the
 * value</td></tr>
 * <tr><td>boolean</td><td>0 or 1</td></tr>
 * <tr><td>decimal of up to 18 digits</td><td>the unscaled value at the column's scale</td></tr>
 * <tr><td>float</td><td>{@link #ofFloatBits}</td></tr>
 * <tr><td>double</td><td>{@link #ofDoubleBits}</td></tr>
 * </table>
 */
public final class OrderedKeys {
  private OrderedKeys() {}

  private static final int FLOAT_NAN = 0x7fc00000;
  private static final long DOUBLE_NAN = 0x7ff8000000000000L;

  /** Key of the float whose raw IEEE 754 bits are the low 32 bits of {@code raw}. */
  public static long ofFloatBits(long raw) {
    int bits = (int) raw;
    int magnitude = bits & Integer.MAX_VALUE;
    if (magnitude > 0x7f800000) {
      return FLOAT_NAN;
    }
    return magnitude == 0 ? 0 : bits ^ ((bits >> 31) & Integer.MAX_VALUE);
  }

  /** Key of the double whose raw IEEE 754 bits are {@code bits}. */
  public static long ofDoubleBits(long bits) {
    long magnitude = bits & Long.MAX_VALUE;
    if (magnitude > 0x7ff0000000000000L) {
      return DOUBLE_NAN;
    }
    return magnitude == 0 ? 0 : bits ^ ((bits >> 63) & Long.MAX_VALUE);
  }

  /**
   * Key of an unscaled decimal; the least or the greatest long if it does not fit, which is less or
   * greater than that of every decimal of up to 18 digits.
   */
  public static long of(BigInteger unscaled) {
    if (unscaled.bitLength() < Long.SIZE) {
      return unscaled.longValue();
    }
    return unscaled.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
  }

  /** Key of a float value. */
  public static long of(float value) {
    return ofFloatBits(Float.floatToRawIntBits(value));
  }

  /** Key of a double value. */
  public static long of(double value) {
    return ofDoubleBits(Double.doubleToRawLongBits(value));
  }
}
