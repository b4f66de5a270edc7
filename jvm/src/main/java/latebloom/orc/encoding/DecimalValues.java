// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import latebloom.read.vector.FixedValues;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.serde2.io.HiveDecimalWritable;
import org.apache.orc.impl.PositionProvider;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;

/**
 * Reads decimals of up to 18 digits as unscaled values: each is stored as a number in groups of
 * seven bits and a scale, which writers may reduce. A number that is not plainly the value at the
 * column's scale or a smaller one takes the path of orc-core and Spark, with their rounding and
 * errors.
 */
public final class DecimalValues implements FixedValues, Positioned {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long LAST = 0x8080808080808080L;

  /** More bytes than the digits of any valid decimal need. */
  private static final int MOST_BYTES = 64;

  /** The most bytes of a number that fits into a long. */
  private static final int LONG_BYTES = 9;

  /** Bytes that a block loads; enough for a block of short numbers. */
  private static final int WINDOW = 4096;

  private static final long[] POWERS_OF_TEN = new long[19];

  static {
    POWERS_OF_TEN[0] = 1;
    for (int i = 1; i < POWERS_OF_TEN.length; i++) {
      POWERS_OF_TEN[i] = 10 * POWERS_OF_TEN[i - 1];
    }
  }

  private final ByteFeed feed;
  private final IntegerRunLength scales;
  private final DecimalType type;
  private long[] scale = new long[0];
  private int next;

  public DecimalValues(ByteFeed feed, IntegerRunLength scales, DecimalType type) {
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
    int i = 0;
    while (i < n) {
      pass(indexes[i] - next);
      int stop = i + 1;
      if (indexes[n - 1] - indexes[i] == n - 1 - i) {
        stop = n;
      }
      while (stop < n && indexes[stop] == indexes[stop - 1] + 1) {
        stop++;
      }
      next = indexes[stop - 1] + 1;
      while (i < stop) {
        i = numbers(out, i, stop);
      }
    }
    rescale(out, n);
  }

  /** Reads some numbers into {@code out[from, to)}; returns the index after the last. */
  private int numbers(long[] out, int from, int to) {
    if (feed.here() < MOST_BYTES) {
      feed.want(WINDOW);
    }
    int i = shortNumbers(feed.data(), feed.pos(), feed.pos() + feed.here(), out, from, to);
    if (i > from) {
      return i;
    }
    int length = longLength();
    if (length > LONG_BYTES) {
      out[from] = slowly(feed.data(), feed.pos(), length, (int) scale[from]);
      scale[from] = type.scale();
      feed.skip(length);
    } else {
      long raw = 0;
      for (int shift = 0; shift < 7 * length; shift += 7) {
        raw |= (feed.next() & 0x7fL) << shift;
      }
      out[from] = raw >>> 1 ^ -(raw & 1);
    }
    return from + 1;
  }

  // A number of up to eight bytes takes one load; pairwise moves join its groups of seven bits.
  private int shortNumbers(byte[] data, int at, int end, long[] out, int from, int to) {
    int last = end - Long.BYTES;
    int pos = at;
    int i = from;
    while (i < to && pos <= last) {
      long word = (long) LONG.get(data, pos);
      long ends = ~word & LAST;
      if (ends == 0) {
        break;
      }
      // Keeps the bits of the number only.
      word &= (ends ^ ends - 1) & ~LAST;
      word = word & 0x007f007f007f007fL | (word & 0x7f007f007f007f00L) >>> 1;
      word = word & 0x00003fff00003fffL | (word & 0x3fff00003fff0000L) >>> 2;
      word = word & 0x000000000fffffffL | (word & 0x0fffffff00000000L) >>> 4;
      out[i++] = word >>> 1 ^ -(word & 1);
      pos += (Long.numberOfTrailingZeros(ends) >>> 3) + 1;
    }
    feed.skip(pos - at);
    return i;
  }

  /** Brings numbers to the column's scale: writers omit trailing zeros. */
  private void rescale(long[] out, int n) {
    int precision = type.precision();
    int wanted = type.scale();
    for (int i = 0; i < n; i++) {
      long growth = wanted - scale[i];
      if (growth >= 0
          && growth <= precision
          && Math.abs(out[i]) < POWERS_OF_TEN[precision - (int) growth]) {
        out[i] *= POWERS_OF_TEN[(int) growth];
      } else {
        out[i] = slowly(out[i], (int) scale[i]);
      }
    }
  }

  /** Skips {@code n} numbers by counting the bytes that end one, eight bytes at a time. */
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

  /** The byte length of the next number, made contiguous. */
  private int longLength() {
    int most = Math.min(MOST_BYTES, feed.here());
    for (int i = 0; i < most; i++) {
      if (feed.data()[feed.pos() + i] >= 0) {
        return i + 1;
      }
    }
    throw most < MOST_BYTES
        ? feed.ended()
        : feed.corrupt("a decimal of more than " + MOST_BYTES + " bytes");
  }

  private long slowly(long value, int fileScale) {
    byte[] bytes = new byte[LONG_BYTES + 1];
    long rest = value << 1 ^ value >> 63;
    int n = 0;
    for (; rest >>> 7 != 0; rest >>>= 7) {
      bytes[n++] = (byte) (rest | 0x80);
    }
    bytes[n++] = (byte) rest;
    return slowly(bytes, 0, n, fileScale);
  }

  private long slowly(byte[] bytes, int at, int length, int fileScale) {
    HiveDecimalWritable read = new HiveDecimalWritable();
    byte[] scratch = new byte[HiveDecimal.SCRATCH_BUFFER_LEN_SERIALIZATION_UTILS_READ];
    try {
      if (read.serializationUtilsRead(
          new ByteArrayInputStream(bytes, at, length), fileScale, scratch)) {
        return Decimal.apply(
                read.getHiveDecimal().bigDecimalValue(), type.precision(), type.scale())
            .toUnscaledLong();
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new CorruptStreamException("a decimal of scale " + fileScale, e);
    }
    throw feed.corrupt("a decimal of more than 38 digits");
  }
}
