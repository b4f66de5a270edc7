// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import latebloom.read.FixedValues;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.serde2.io.HiveDecimalWritable;
import org.apache.orc.impl.PositionProvider;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;

/**
 * Decimals of up to 18 digits, as their unscaled value: numbers in groups of seven bits, and the scale
 * of each, which writers may have made smaller. A number that is not simply the value at the column's
 * scale, or at a smaller one, goes the way of orc-core and Spark, with their rounding and errors.
 */
final class DecimalValues implements FixedValues, Positioned {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long LAST = 0x8080808080808080L;

  /** So many bytes hold more digits than there can be. */
  private static final int MOST_BYTES = 64;

  /** Bytes of a number that fits into a long. */
  private static final int LONG_BYTES = 9;

  /** Bytes made to lie together; enough for a block of short numbers. */
  private static final int WINDOW = 4096;

  private static final long[] POWERS_OF_TEN = new long[19];

  static {
    POWERS_OF_TEN[0] = 1;
    for (int i = 1; i < POWERS_OF_TEN.length; i++) {
      POWERS_OF_TEN[i] = 10 * POWERS_OF_TEN[i - 1];
    }
  }

  private final ByteFeed feed;
  private final IntRuns scales;
  private final DecimalType type;
  private long[] scale = new long[0];
  private int next;

  DecimalValues(ByteFeed feed, IntRuns scales, DecimalType type) {
    this.feed = feed;
    this.scales = scales;
    this.type = type;
  }

  @Override
  public void seek(PositionProvider positions) {
    feed.seek(positions);
    scales.seek(positions);
    next = 0;
  }

  @Override
  public void read(int[] indexes, int n, long[] out) {
    if (scale.length < n) {
      scale = new long[n];
    }
    scales.read(indexes, n, scale);
    for (int i = 0; i < n; i++) {
      pass(indexes[i] - next);
      next = indexes[i] + 1;
      int length = length();
      if (length > LONG_BYTES) {
        out[i] = slowly(length, (int) scale[i]);
        feed.skip(length);
        continue;
      }
      long raw = number(length);
      long value = raw >>> 1 ^ -(raw & 1);
      long growth = type.scale() - scale[i];
      if (growth == 0 && Math.abs(value) < POWERS_OF_TEN[type.precision()]) {
        out[i] = value;
      } else if (growth > 0
          && growth <= type.precision()
          && Math.abs(value) < POWERS_OF_TEN[type.precision() - (int) growth]) {
        out[i] = value * POWERS_OF_TEN[(int) growth];
      } else {
        out[i] = slowly(length, (int) scale[i]);
      }
      feed.skip(length);
    }
  }

  /** Passes over {@code n} numbers: as many bytes as end one are found eight at a time. */
  private void pass(int n) {
    int rest = n;
    while (rest > 0) {
      if (feed.here() < Long.BYTES) {
        feed.want(WINDOW);
      }
      if (rest >= Long.BYTES && feed.here() >= Long.BYTES) {
        long ends = ~(long) LONG.get(feed.data(), feed.pos()) & LAST;
        rest -= Long.bitCount(ends);
        feed.skip(Long.BYTES);
      } else if (feed.next() < 0x80) {
        rest--;
      }
    }
  }

  /** Bytes of the next number, which are made to lie together. */
  private int length() {
    if (feed.here() < MOST_BYTES) {
      feed.want(WINDOW);
    }
    long ends = ~(long) LONG.get(feed.data(), feed.pos()) & LAST;
    int length = ends != 0 ? (Long.numberOfTrailingZeros(ends) >>> 3) + 1 : longLength();
    if (length > feed.here()) {
      throw feed.ended();
    }
    return length;
  }

  private int longLength() {
    int most = Math.min(MOST_BYTES, feed.here());
    for (int i = Long.BYTES; i < most; i++) {
      if (feed.data()[feed.pos() + i] >= 0) {
        return i + 1;
      }
    }
    throw most < MOST_BYTES
        ? feed.ended()
        : new CorruptStreamException("a decimal of more than " + MOST_BYTES + " bytes");
  }

  /** The number of {@code length} bytes, at most nine: its groups of seven bits moved together. */
  private long number(int length) {
    int at = feed.pos();
    long word = (long) LONG.get(feed.data(), at);
    if (length < Long.BYTES) {
      word &= (1L << 8 * length) - 1;
    }
    word &= ~LAST;
    word = word & 0x007f007f007f007fL | (word & 0x7f007f007f007f00L) >>> 1;
    word = word & 0x00003fff00003fffL | (word & 0x3fff00003fff0000L) >>> 2;
    word = word & 0x000000000fffffffL | (word & 0x0fffffff00000000L) >>> 4;
    return length > Long.BYTES ? word | (feed.data()[at + Long.BYTES] & 0x7fL) << 56 : word;
  }

  private long slowly(int length, int fileScale) {
    HiveDecimalWritable read = new HiveDecimalWritable();
    byte[] scratch = new byte[HiveDecimal.SCRATCH_BUFFER_LEN_SERIALIZATION_UTILS_READ];
    try {
      if (read.serializationUtilsRead(
          new ByteArrayInputStream(feed.data(), feed.pos(), length), fileScale, scratch)) {
        return Decimal.apply(
                read.getHiveDecimal().bigDecimalValue(), type.precision(), type.scale())
            .toUnscaledLong();
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new CorruptStreamException("a decimal of scale " + fileScale, e);
    }
    throw new CorruptStreamException("a decimal of more than 38 digits");
  }
}
