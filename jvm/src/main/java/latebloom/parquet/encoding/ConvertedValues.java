// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import latebloom.parquet.types.Conversion;
import latebloom.read.vector.FixedValues;

/** Converts numbers of a page from the file's representation to Spark's. */
public final class ConvertedValues implements FixedValues {
  private final FixedValues raw;
  private final Conversion.OfNumbers conversion;

  ConvertedValues(FixedValues raw, Conversion.OfNumbers conversion) {
    this.raw = raw;
    this.conversion = conversion;
  }

  /** The PLAIN decoder of the page if Spark represents these {@code n} values alike, else null. */
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
