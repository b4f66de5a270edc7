// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import java.math.BigInteger;
import java.util.Arrays;
import latebloom.parquet.types.Conversion;
import latebloom.read.vector.FixedValues;
import latebloom.read.vector.StringValues;

/**
 * Converts decimals of a page to bytes (see {@link Conversion.ToDecimalBytes}) where the file has
 * integers, or bytes at a smaller scale.
 */
final class DecimalStrings implements StringValues {
  private final FixedValues numbers;
  private final StringValues strings;
  private final boolean unsigned;
  private final BigInteger factor;
  private long[] values = {};
  private byte[] data = {};
  private int used;

  DecimalStrings(FixedValues numbers, Conversion.ToDecimalBytes conversion) {
    this(numbers, null, conversion);
  }

  DecimalStrings(StringValues strings, Conversion.ToDecimalBytes conversion) {
    this(null, strings, conversion);
  }

  private DecimalStrings(
      FixedValues numbers, StringValues strings, Conversion.ToDecimalBytes conversion) {
    this.numbers = numbers;
    this.strings = strings;
    this.unsigned = conversion.unsigned();
    this.factor = conversion.digits() == 0 ? null : BigInteger.TEN.pow(conversion.digits());
  }

  @Override
  public byte[] data() {
    return data;
  }

  @Override
  public void locate(int[] indexes, int n, int[] offsets, int[] lengths) {
    used = 0;
    if (strings != null) {
      strings.locate(indexes, n, offsets, lengths);
      byte[] from = strings.data();
      for (int i = 0; i < n; i++) {
        add(new BigInteger(from, offsets[i], lengths[i]), i, offsets, lengths);
      }
      return;
    }
    if (values.length < n) {
      values = new long[n];
    }
    numbers.read(indexes, n, values);
    if (factor == null && !unsigned) {
      addSmall(n, offsets, lengths);
      return;
    }
    for (int i = 0; i < n; i++) {
      long v = values[i];
      BigInteger number = BigInteger.valueOf(v);
      if (unsigned && v < 0) {
        number = new BigInteger(Long.toUnsignedString(v));
      }
      add(number, i, offsets, lengths);
    }
  }

  private void add(BigInteger number, int i, int[] offsets, int[] lengths) {
    byte[] bytes = (factor == null ? number : number.multiply(factor)).toByteArray();
    reserve(bytes.length);
    System.arraycopy(bytes, 0, data, used, bytes.length);
    offsets[i] = used;
    lengths[i] = bytes.length;
    used += bytes.length;
  }

  /** Writes each number in as few bytes as {@code BigInteger} would. */
  private void addSmall(int n, int[] offsets, int[] lengths) {
    reserve((long) n * Long.BYTES);
    for (int i = 0; i < n; i++) {
      long v = values[i];
      int length = (Long.SIZE - Long.numberOfLeadingZeros(v ^ v >> 63)) / 8 + 1;
      for (int b = length - 1; b >= 0; b--) {
        data[used + b] = (byte) v;
        v >>= 8;
      }
      offsets[i] = used;
      lengths[i] = length;
      used += length;
    }
  }

  private void reserve(long more) {
    if (data.length - used < more) {
      data = Arrays.copyOf(data, CheckedSizes.grown(used + more, "a block of decimals"));
    }
  }
}
