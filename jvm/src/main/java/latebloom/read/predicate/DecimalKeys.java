// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import java.math.BigInteger;

/**
 * The byte key that compares decimals of more than 18 digits: the unscaled value as 16 bytes of
 * big-endian two's complement with the sign bit flipped. Unsigned byte order is then the order of
 * the values, and equal values have equal keys.
 */
public final class DecimalKeys {
  /** Length of every key: 38 digits need 127 bits and a sign. */
  public static final int LENGTH = 16;

  private DecimalKeys() {}

  /** Key of an unscaled value. */
  public static byte[] of(BigInteger unscaled) {
    byte[] bytes = unscaled.toByteArray();
    byte[] key = new byte[LENGTH];
    write(bytes, 0, bytes.length, key, 0);
    return key;
  }

  /**
   * Writes the key of an unscaled value in big-endian two's complement, the {@code length} bytes at
   * {@code offset}, as Parquet stores decimals; no bytes mean zero. Bytes beyond 16 must repeat the
   * sign.
   *
   * @throws ArithmeticException if the value does not fit into 16 bytes
   */
  public static void write(byte[] source, int offset, int length, byte[] key, int keyOffset) {
    byte sign = (byte) (length == 0 ? 0 : source[offset] >> 7);
    int surplus = Math.max(0, length - LENGTH);
    for (int i = 0; i < surplus; i++) {
      if (source[offset + i] != sign || source[offset + surplus] >> 7 != sign) {
        throw new ArithmeticException("a decimal of " + length + " bytes has more than 38 digits");
      }
    }
    int kept = length - surplus;
    int padding = LENGTH - kept;
    for (int i = 0; i < padding; i++) {
      key[keyOffset + i] = sign;
    }
    System.arraycopy(source, offset + surplus, key, keyOffset + padding, kept);
    key[keyOffset] ^= (byte) 0x80;
  }
}
