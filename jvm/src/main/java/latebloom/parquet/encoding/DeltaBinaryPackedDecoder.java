// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import latebloom.read.vector.FixedValues;

/**
 * A cursor over DELTA_BINARY_PACKED integers (format specification, "Delta Encoding").
 *
 * <pre>
 *   header   values a block, miniblocks a block, values in all, first value
 *   block    least delta | bit width of each miniblock | miniblock | miniblock | ...
 *   value    the one before + least delta + what the miniblock packs
 * </pre>
 *
 * A value is the sum of all deltas before it, so none can be left out. Unwanted deltas are added up
 * without being stored, a miniblock of width 0 in one step, and those after the last wanted value
 * are not read. Sums wrap around, as writers rely on.
 *
 * <p>Each loop has its own method and works on locals: C2 then keeps the running sum in a register,
 * and an iteration costs no more than the one addition on which the next value depends.
 */
final class DeltaBinaryPackedDecoder implements FixedValues {
  /** Values to unpack at a time where only some are wanted. */
  private static final int SPAN = 256;

  private final byte[] data;
  private final int end;

  /** Shifting left and right by this many bits narrows a sum to 32 bits. */
  private final int surplus;

  private final int miniblocks;
  private final int miniblockSize;
  private final int total;
  private final int firstBlock;

  private int pos;
  private long leastDelta;
  private int widths;
  private int miniblock;

  /** The current miniblock: bits of a delta, where they begin, how many are consumed and left. */
  private int width;

  private int packed;
  private int taken;
  private int left;

  /** Values consumed, and the last of them; at first the header's first value. */
  private int index;

  private long last;
  private long[] span;

  /**
   * @param count values that the page must hold
   * @param ints whether values have 32 bits
   */
  DeltaBinaryPackedDecoder(Bytes bytes, int count, boolean ints) {
    this.data = bytes.array();
    this.pos = bytes.start();
    this.end = bytes.end();
    this.surplus = ints ? Integer.SIZE : 0;
    int blockSize = varint();
    this.miniblocks = varint();
    this.total = varint();
    if (blockSize <= 0
        || miniblocks <= 0
        || blockSize % miniblocks != 0
        || blockSize / miniblocks % 8 != 0) {
      throw new CorruptPageException(
          "blocks of " + blockSize + " values in " + miniblocks + " miniblocks");
    }
    if (total < count) {
      throw new CorruptPageException(total + " delta-coded values, where there must be " + count);
    }
    this.miniblockSize = blockSize / miniblocks;
    this.last = zigzag();
    this.firstBlock = pos;
    this.miniblock = miniblocks;
  }

  /** The end of the bytes of all values, found by the widths alone. */
  int sectionEnd() {
    int before = pos;
    long values = total - 1L;
    pos = firstBlock;
    while (values > 0) {
      zigzag();
      int at = miniblockWidths();
      for (int m = 0; m < miniblocks && values > 0; m++) {
        pos += (int) Math.min(end - pos, packedBytes(widthAt(at + m), miniblockSize));
        values -= miniblockSize;
      }
    }
    int sectionEnd = pos;
    pos = before;
    return sectionEnd;
  }

  @Override
  public void read(int[] indexes, int n, long[] out) {
    int i = 0;
    while (i < n) {
      skip(indexes[i] - index);
      int run = n - i;
      if (indexes[n - 1] - index != run - 1) {
        // Some are unwanted: unpack a span up to its last wanted value, and pick.
        if (span == null) {
          span = new long[SPAN];
        }
        int stop = i + 1;
        while (stop < n && indexes[stop] - index < SPAN) {
          stop++;
        }
        int from = index;
        next(indexes[stop - 1] + 1 - from, span, 0);
        for (; i < stop; i++) {
          out[i] = span[indexes[i] - from];
        }
      } else {
        next(run, out, i);
        i = n;
      }
    }
  }

  /** Writes the next {@code n} values to {@code out}, from {@code at} on. */
  void next(int n, long[] out, int at) {
    int i = at;
    int stop = at + n;
    if (index == 0 && n > 0) {
      index = 1;
      out[i++] = last << surplus >> surplus;
    }
    while (i < stop) {
      if (left == 0) {
        nextMiniblock();
      }
      int k = Math.min(stop - i, left);
      unpack(k, out, i);
      take(k);
      i += k;
    }
  }

  /** Skips {@code n} values. */
  void skip(int n) {
    int rest = n;
    if (index == 0 && n > 0) {
      index = 1;
      rest--;
    }
    while (rest > 0) {
      if (left == 0) {
        nextMiniblock();
      }
      int k = Math.min(rest, left);
      last += leastDelta * k + sum(k);
      take(k);
      rest -= k;
    }
  }

  private void take(int n) {
    taken += n;
    left -= n;
    index += n;
  }

  private void nextMiniblock() {
    if (index >= total) {
      throw new CorruptPageException("the page ends before its last value");
    }
    if (miniblock == miniblocks) {
      leastDelta = zigzag();
      widths = miniblockWidths();
      miniblock = 0;
    }
    width = widthAt(widths + miniblock++);
    taken = 0;
    left = Math.min(miniblockSize, total - index);
    packed = pos;
    if (packedBytes(width, left) > end - pos) {
      throw new CorruptPageException("the page ends within a miniblock");
    }
    pos += (int) Math.min(end - pos, packedBytes(width, miniblockSize));
  }

  private int miniblockWidths() {
    int at = pos;
    if (miniblocks > end - pos) {
      throw new CorruptPageException("the page ends within the bit widths of a block");
    }
    pos += miniblocks;
    return at;
  }

  private int widthAt(int at) {
    int bits = data[at] & 0xff;
    if (bits > Long.SIZE) {
      throw new CorruptPageException("a bit width of " + bits);
    }
    return bits;
  }

  private static long packedBytes(int width, int values) {
    return ((long) width * values + 7) >>> 3;
  }

  private void unpack(int n, long[] out, int at) {
    if (width == 0) {
      progression(n, out, at);
    } else if (width > 56) {
      unpackWide(n, out, at);
    } else {
      int words = words(n);
      int fours = width <= 14 ? words & -4 : 0;
      unpackFours(fours, out, at);
      unpackOnes(fours, words, out, at);
      unpackPadded(words, n, out, at);
    }
  }

  /** How many of the next {@code n} values begin where an eight-byte load stays in the array. */
  private int words(int n) {
    long safe = data.length - Long.BYTES - packed;
    return safe < 0 ? 0 : (int) Math.max(0, Math.min(n, (safe * 8 + 7) / width - taken + 1));
  }

  private void progression(int n, long[] out, int at) {
    int s = surplus;
    long step = leastDelta;
    long value = last;
    for (int i = 0; i < n; i++) {
      value += step;
      out[at + i] = value << s >> s;
    }
    last = value;
  }

  // Up to 14 bits wide, one 8-byte load holds at least four values wherever they start in a byte.
  private void unpackFours(int n, long[] out, int at) {
    byte[] bytes = data;
    int w = width;
    int s = surplus;
    long mask = (1L << w) - 1;
    long step = leastDelta;
    long value = last;
    int from = packed;
    long bit = (long) taken * w;
    for (int i = 0; i < n; i += 4) {
      long word = Bytes.longAt(bytes, from + (int) (bit >>> 3)) >>> (bit & 7);
      long a = value + (step + (word & mask));
      long b = a + (step + (word >>> w & mask));
      long c = b + (step + (word >>> 2 * w & mask));
      value = c + (step + (word >>> 3 * w & mask));
      out[at + i] = a << s >> s;
      out[at + i + 1] = b << s >> s;
      out[at + i + 2] = c << s >> s;
      out[at + i + 3] = value << s >> s;
      bit += 4L * w;
    }
    last = value;
  }

  private void unpackOnes(int done, int n, long[] out, int at) {
    byte[] bytes = data;
    int w = width;
    int s = surplus;
    long mask = (1L << w) - 1;
    long step = leastDelta;
    long value = last;
    int from = packed;
    long bit = (long) (taken + done) * w;
    for (int i = done; i < n; i++) {
      long word = Bytes.longAt(bytes, from + (int) (bit >>> 3)) >>> (bit & 7);
      value += step + (word & mask);
      out[at + i] = value << s >> s;
      bit += w;
    }
    last = value;
  }

  /** Unpacks the few values so close to the array's end that an eight-byte load would pass it. */
  private void unpackPadded(int done, int n, long[] out, int at) {
    for (int i = done; i < n; i++) {
      last += leastDelta + delta(taken + i);
      out[at + i] = last << surplus >> surplus;
    }
  }

  private void unpackWide(int n, long[] out, int at) {
    for (int i = 0; i < n; i++) {
      last += leastDelta + wideDelta(taken + i);
      out[at + i] = last << surplus >> surplus;
    }
  }

  private long delta(int i) {
    long bit = (long) i * width;
    long word = Bytes.longAtOrPadded(data, packed + (int) (bit >>> 3)) >>> (bit & 7);
    return word & (1L << width) - 1;
  }

  // More than 56 bits may reach into a ninth byte.
  private long wideDelta(int i) {
    long bit = (long) i * width;
    int at = packed + (int) (bit >>> 3);
    int shift = (int) (bit & 7);
    long word = Bytes.longAtOrPadded(data, at) >>> shift;
    if (shift + width > Long.SIZE) {
      word |= (data[at + 8] & 0xffL) << Long.SIZE - shift;
    }
    return word & -1L >>> Long.SIZE - width;
  }

  /** Sum of the next {@code n} packed values of the miniblock. */
  private long sum(int n) {
    if (width == 0) {
      return 0;
    }
    if (width > 56) {
      return sumWide(n);
    }
    int words = words(n);
    int fours = width <= 14 ? words & -4 : 0;
    long sum = sumFours(fours) + sumOnes(fours, words);
    for (int i = words; i < n; i++) {
      sum += delta(taken + i);
    }
    return sum;
  }

  private long sumFours(int n) {
    byte[] bytes = data;
    int w = width;
    long mask = (1L << w) - 1;
    int from = packed;
    long bit = (long) taken * w;
    long a = 0;
    long b = 0;
    for (int i = 0; i < n; i += 4) {
      long word = Bytes.longAt(bytes, from + (int) (bit >>> 3)) >>> (bit & 7);
      a += (word & mask) + (word >>> w & mask);
      b += (word >>> 2 * w & mask) + (word >>> 3 * w & mask);
      bit += 4L * w;
    }
    return a + b;
  }

  private long sumOnes(int done, int n) {
    byte[] bytes = data;
    int w = width;
    long mask = (1L << w) - 1;
    int from = packed;
    long bit = (long) (taken + done) * w;
    long sum = 0;
    for (int i = done; i < n; i++) {
      sum += Bytes.longAt(bytes, from + (int) (bit >>> 3)) >>> (bit & 7) & mask;
      bit += w;
    }
    return sum;
  }

  private long sumWide(int n) {
    long sum = 0;
    for (int i = 0; i < n; i++) {
      sum += wideDelta(taken + i);
    }
    return sum;
  }

  private int varint() {
    long value = varlong(5);
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new CorruptPageException("a count of " + value);
    }
    return (int) value;
  }

  private long zigzag() {
    long value = varlong(10);
    return value >>> 1 ^ -(value & 1);
  }

  private long varlong(int most) {
    long value = 0;
    for (int i = 0; i < most; i++) {
      if (pos >= end) {
        throw new CorruptPageException("the page ends within the header of delta-coded values");
      }
      byte b = data[pos++];
      value |= (b & 0x7fL) << 7 * i;
      if (b >= 0) {
        return value;
      }
    }
    throw new CorruptPageException("a number of more than " + most + " bytes");
  }
}
