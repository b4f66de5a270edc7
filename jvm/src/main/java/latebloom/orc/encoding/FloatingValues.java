// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import latebloom.read.vector.FixedValues;
import org.apache.orc.impl.PositionProvider;

/** Reads floats and doubles, stored one after the other, as their bits. */
public final class FloatingValues implements FixedValues, Positioned {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Values that one load makes contiguous. */
  private static final int SPAN = 1024;

  private final ByteFeed feed;
  private final int width;
  private int next;

  /**
   * @param width of a value in bytes, 4 or 8
   */
  public FloatingValues(ByteFeed feed, int width) {
    this.feed = feed;
    this.width = width;
  }

  @Override
  public void seek(PositionProvider positions) {
    feed.seek(positions);
    next = 0;
  }

  @Override
  public void read(int[] indexes, int n, long[] out) {
    int i = 0;
    while (i < n) {
      int from = indexes[i];
      feed.skip((long) (from - next) * width);
      int stop = Spans.stop(indexes, i, n, SPAN);
      next = indexes[stop - 1] + 1;
      int bytes = (next - from) * width;
      feed.need(bytes);
      if (width == Long.BYTES) {
        doubles(feed.data(), feed.pos(), indexes, i, stop, out);
      } else {
        floats(feed.data(), feed.pos(), indexes, i, stop, out);
      }
      feed.skip(bytes);
      i = stop;
    }
  }

  private static void doubles(byte[] data, int at, int[] indexes, int from, int to, long[] out) {
    int first = indexes[from];
    for (int i = from; i < to; i++) {
      out[i] = (long) LONG.get(data, at + (indexes[i] - first) * Double.BYTES);
    }
  }

  private static void floats(byte[] data, int at, int[] indexes, int from, int to, long[] out) {
    int first = indexes[from];
    for (int i = from; i < to; i++) {
      out[i] = quiet((int) INT.get(data, at + (indexes[i] - first) * Float.BYTES));
    }
  }

  /**
   * Makes signalling NaNs quiet, as Spark's reader does by converting floats to doubles and back.
   */
  private static int quiet(int bits) {
    return (bits & 0x7fffffff) > 0x7f800000 ? bits | 0x00400000 : bits;
  }
}
