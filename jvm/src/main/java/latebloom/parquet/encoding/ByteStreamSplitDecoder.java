// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import latebloom.parquet.types.FlatType;
import latebloom.parquet.types.FlatType.Physical;
import latebloom.read.vector.FixedValues;

/**
 * Decodes BYTE_STREAM_SPLIT values of up to eight bytes. The page holds the first byte of every
 * value, then the second byte of every value, and so on; each value is gathered by its index.
 */
final class ByteStreamSplitDecoder implements FixedValues {
  private final Physical physical;
  private final int width;
  private final byte[] data;
  private final int start;
  private final int stride;

  /**
   * @param count values that the page must hold
   */
  ByteStreamSplitDecoder(FlatType type, Bytes bytes, int count) {
    this.physical = type.physical();
    this.width = type.width();
    this.data = bytes.array();
    this.start = bytes.start();
    this.stride = stride(bytes, width, count);
  }

  /** How many values the page holds, which is the distance between two bytes of a value. */
  static int stride(Bytes bytes, int width, int count) {
    if (width <= 0 || bytes.length() % width != 0 || bytes.length() / width < count) {
      throw new CorruptPageException(
          count + " values of " + width + " bytes, split, in " + bytes.length() + " bytes");
    }
    return bytes.length() / width;
  }

  @Override
  public void read(int[] indexes, int n, long[] out) {
    switch (physical) {
      case INT32, FLOAT -> ints(indexes, n, out);
      case INT64, DOUBLE -> longs(indexes, n, out);
      case BIG_ENDIAN -> bigEndian(indexes, n, out);
      default -> throw new IllegalStateException("not of fixed width: " + physical);
    }
  }

  private void ints(int[] indexes, int n, long[] out) {
    byte[] bytes = data;
    int first = start;
    int second = first + stride;
    int third = second + stride;
    int fourth = third + stride;
    for (int i = 0; i < n; i++) {
      int at = indexes[i];
      out[i] =
          bytes[first + at] & 0xff
              | (bytes[second + at] & 0xff) << 8
              | (bytes[third + at] & 0xff) << 16
              | bytes[fourth + at] << 24;
    }
  }

  private void longs(int[] indexes, int n, long[] out) {
    byte[] bytes = data;
    int step = stride;
    for (int i = 0; i < n; i++) {
      int at = start + indexes[i];
      int low =
          bytes[at] & 0xff
              | (bytes[at + step] & 0xff) << 8
              | (bytes[at + 2 * step] & 0xff) << 16
              | bytes[at + 3 * step] << 24;
      int high =
          bytes[at + 4 * step] & 0xff
              | (bytes[at + 5 * step] & 0xff) << 8
              | (bytes[at + 6 * step] & 0xff) << 16
              | bytes[at + 7 * step] << 24;
      out[i] = (long) high << 32 | low & 0xffffffffL;
    }
  }

  private void bigEndian(int[] indexes, int n, long[] out) {
    for (int i = 0; i < n; i++) {
      int at = start + indexes[i];
      long v = data[at];
      for (int b = 1; b < width; b++) {
        v = v << 8 | (data[at + b * stride] & 0xffL);
      }
      out[i] = v;
    }
  }
}
