// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import latebloom.parquet.types.FlatType;
import latebloom.parquet.types.FlatType.Physical;
import latebloom.read.vector.FixedValues;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;

/**
 * Decodes PLAIN values of fixed width (format specification, "Plain"), addressed by index.
 *
 * <p>Each loop has its own method, which C2 compiles separately and free of the switch.
 */
public final class PlainDecoder implements FixedValues {
  private final Physical physical;
  private final int width;
  private final byte[] data;
  private final int start;

  /**
   * @param count values that the page must hold
   */
  PlainDecoder(FlatType type, Bytes bytes, int count) {
    this.physical = type.physical();
    this.width = type.width();
    this.data = bytes.array();
    this.start = bytes.start();
    long needed = physical == Physical.BOOLEAN ? ((long) count + 7) / 8 : (long) count * width;
    if (needed > bytes.length()) {
      throw new CorruptPageException(
          count + " values need " + needed + " bytes, the page has " + bytes.length());
    }
  }

  /** Offset in {@link #data()} of the value at {@code index}. */
  public int offset(int index) {
    return start + index * width;
  }

  public byte[] data() {
    return data;
  }

  /** The least of {@code n} neighbouring integers; {@code Long.MIN_VALUE} for other types. */
  long least(int first, int n) {
    return switch (physical) {
      case INT32 -> leastInt(first, n);
      case INT64 -> leastLong(first, n);
      default -> Long.MIN_VALUE;
    };
  }

  // Two at a time: each minimum waits for the one before it.
  private long leastInt(int first, int n) {
    int even = Integer.MAX_VALUE;
    int odd = Integer.MAX_VALUE;
    int at = start + first * 4;
    int end = at + n * 4;
    for (; at + 8 <= end; at += 8) {
      long both = Bytes.longAt(data, at);
      even = Math.min(even, (int) both);
      odd = Math.min(odd, (int) (both >> 32));
    }
    int least = Math.min(even, odd);
    return at < end ? Math.min(least, Bytes.intAt(data, at)) : least;
  }

  private long leastLong(int first, int n) {
    long even = Long.MAX_VALUE;
    long odd = Long.MAX_VALUE;
    int at = start + first * 8;
    int end = at + n * 8;
    for (; at + 16 <= end; at += 16) {
      even = Math.min(even, Bytes.longAt(data, at));
      odd = Math.min(odd, Bytes.longAt(data, at + 8));
    }
    long least = Math.min(even, odd);
    return at < end ? Math.min(least, Bytes.longAt(data, at)) : least;
  }

  @Override
  public void read(int[] indexes, int n, long[] out) {
    switch (physical) {
      case INT32, FLOAT -> ints(indexes, n, out);
      case INT64, DOUBLE -> longs(indexes, n, out);
      case BOOLEAN -> booleans(indexes, n, out);
      case INT96 -> micros(indexes, n, out);
      case BIG_ENDIAN -> bigEndian(indexes, n, out);
      default -> throw new IllegalStateException("not of fixed width: " + physical);
    }
  }

  private void ints(int[] indexes, int n, long[] out) {
    for (int i = 0; i < n; i++) {
      out[i] = Bytes.intAt(data, start + indexes[i] * 4);
    }
  }

  private void longs(int[] indexes, int n, long[] out) {
    for (int i = 0; i < n; i++) {
      out[i] = Bytes.longAt(data, start + indexes[i] * 8);
    }
  }

  private void booleans(int[] indexes, int n, long[] out) {
    for (int i = 0; i < n; i++) {
      int at = indexes[i];
      out[i] = data[start + (at >>> 3)] >>> (at & 7) & 1;
    }
  }

  // Nanoseconds of the day, then the Julian day.
  private void micros(int[] indexes, int n, long[] out) {
    for (int i = 0; i < n; i++) {
      int at = start + indexes[i] * 12;
      out[i] = DateTimeUtils.fromJulianDay(Bytes.intAt(data, at + 8), Bytes.longAt(data, at));
    }
  }

  private void bigEndian(int[] indexes, int n, long[] out) {
    for (int i = 0; i < n; i++) {
      out[i] = Bytes.signedBigEndian(data, start + indexes[i] * width, width);
    }
  }
}
