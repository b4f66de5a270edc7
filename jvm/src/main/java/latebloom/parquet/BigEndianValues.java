// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

/** Big-endian numbers of up to eight bytes that lie in byte strings of that length. */
final class BigEndianValues implements FixedValues {
  private final StringValues strings;
  private final int width;
  private int[] offsets = {};
  private int[] lengths = {};

  BigEndianValues(StringValues strings, int width) {
    this.strings = strings;
    this.width = width;
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
      out[i] = Bytes.signedBigEndian(data, offsets[i], width);
    }
  }
}
