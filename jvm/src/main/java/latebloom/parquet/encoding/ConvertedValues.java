// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import latebloom.parquet.types.Conversion;
import latebloom.read.vector.FixedValues;

/** Numbers of a page as Spark holds them, where the file holds them in another way. */
public final class ConvertedValues implements FixedValues {
  private final FixedValues raw;
  private final Conversion.OfNumbers conversion;

  ConvertedValues(FixedValues raw, Conversion.OfNumbers conversion) {
    this.raw = raw;
    this.conversion = conversion;
  }

  /**
   * The values as they lie in the page, if they are PLAIN and Spark holds these {@code n} the same.
   */
  public PlainDecoder plain(int first, int n) {
    return raw instanceof PlainDecoder plain && plain.least(first, n) >= conversion.sameFrom()
        ? plain
        : null;
  }

  @Override
  public void read(int[] indexes, int n, long[] out) {
    raw.read(indexes, n, out);
    conversion.apply(out, n);
  }
}
