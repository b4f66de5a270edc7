// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import latebloom.read.vector.FixedValues;
import latebloom.read.vector.StringValues;

/** Reads big-endian numbers stored as byte strings; of more than eight bytes, the last eight. */
final class BigEndianValues implements FixedValues {
  private final StringValues strings;
  private int[] offsets = {};
  private int[] lengths = {};

  BigEndianValues(StringValues strings) {
    this.strings = strings;
  }

  @Override
  public void read(int[] indexes, int n, long[] out) {
    if (offsets.length < n) {
      offsets = new int[n];
      lengths = new int[n];
    }
    strings.locate(indexes, n, offsets, lengths);
    byte[] data = strings.data();
    for (int i = 0; i < n; i++) {
      int length = Math.min(lengths[i], Long.BYTES);
      out[i] = Bytes.signedBigEndian(data, offsets[i] + lengths[i] - length, length);
    }
  }
}
