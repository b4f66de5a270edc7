// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

/**
 * A cursor over Parquet's hybrid of runs and bit-packed groups (format specification, "RLE /
 * Bit-Packing Hybrid"), the encoding of dictionary codes, levels and booleans.
 *
 * <pre>
 *   values   0        r        p            end
 *            |--RLE---|--packed in eights---|
 *   bytes    hdr val  hdr ................
 * </pre>
 *
 * Callers ask for values by ascending index. A skipped run is not unpacked, and a value of a packed
 * run is addressed by its bit position.
 *
 * <p>The unpacking loops have their own methods, step by the values of one load, and work on
 * locals: C2 hoists the shifts by multiples of the width and the range checks of the output out of
 * them, and leaves a shift, a mask and a store per value.
 */
public final class RleBitPackingHybridDecoder {
  private final byte[] data;
  private final int end;
  private final int bitWidth;

  private int pos;
  private int runStart;
  private int runEnd;
  private boolean repeated;
  private int repeatedValue;
  private int packedAt;

  /**
   * @param from first byte of the first run
   * @param end past the last byte
   * @param bitWidth bits of a value, 0 to 32
   */
  public RleBitPackingHybridDecoder(byte[] data, int from, int end, int bitWidth) {
    if (bitWidth < 0 || bitWidth > 32) {
      throw new CorruptPageException("a bit width of " + bitWidth);
    }
    if (from < 0 || from > end || end > data.length) {
      throw new CorruptPageException("runs that start at byte " + from + " of " + end);
    }
    this.data = data;
    this.pos = from;
    this.end = end;
    this.bitWidth = bitWidth;
    if (bitWidth == 0) {
      repeated = true;
      runEnd = Integer.MAX_VALUE;
    }
  }

  /** The value of all indexes from {@code first} to {@code last} if one run holds them, else -1. */
  public long shared(int first, int last) {
    seek(first);
    return repeated && last < runEnd ? repeatedValue & 0xffffffffL : -1;
  }

  /** The index after the run that holds {@code index}. */
  public int runEnd(int index) {
    seek(index);
    return runEnd;
  }

  /** Writes the values at {@code indexes[0, n)}, which ascend and do not precede earlier ones. */
  public void read(int[] indexes, int n, int[] out) {
    int i = 0;
    if (n > 0 && indexes[n - 1] - indexes[0] == n - 1) {
      readRange(indexes[0], n, out);
      return;
    }
    while (i < n) {
      seek(indexes[i]);
      int stop = n;
      if (indexes[n - 1] >= runEnd) {
        stop = i + 1;
        while (indexes[stop] < runEnd) {
          stop++;
        }
      }
      if (repeated) {
        java.util.Arrays.fill(out, i, stop, repeatedValue);
      } else {
        pick(indexes, i, stop, out);
      }
      i = stop;
    }
  }

  /** Writes the {@code n} values from index {@code first} on. */
  public void readRange(int first, int n, int[] out) {
    int i = 0;
    while (i < n) {
      seek(first + i);
      int k = Math.min(n - i, runEnd - first - i);
      if (repeated) {
        java.util.Arrays.fill(out, i, i + k, repeatedValue);
      } else {
        unpack(first + i - runStart, k, out, i);
      }
      i += k;
    }
  }

  /**
   * A bit for each of the {@code n} one-bit values from index {@code first} on, at most 64, the
   * first lowest: whether it is 1. A run may hold a value with more bits than allowed: it is not 1.
   */
  public long ones(int first, int n) {
    return bits(first, n, false);
  }

  /** As {@link #ones}, for values other than 0. */
  public long notZeros(int first, int n) {
    return bits(first, n, true);
  }

  private long bits(int first, int n, boolean notZero) {
    long bits = 0;
    int i = 0;
    while (i < n) {
      seek(first + i);
      int k = Math.min(n - i, runEnd - first - i);
      boolean set = notZero ? repeatedValue != 0 : repeatedValue == 1;
      long run = repeated ? (set ? -1L : 0) : packedBits(first + i - runStart);
      bits |= (run & -1L >>> (64 - k)) << i;
      i += k;
    }
    return bits;
  }

  private long packedBits(int index) {
    int at = packedAt + (index >>> 3);
    int shift = index & 7;
    long low = Bytes.longAtOrPadded(data, at) >>> shift;
    return shift == 0 ? low : low | Bytes.longAtOrPadded(data, at + 8) << (64 - shift);
  }

  private void pick(int[] indexes, int from, int to, int[] out) {
    long mask = (1L << bitWidth) - 1;
    for (int i = from; i < to; i++) {
      long bit = (long) (indexes[i] - runStart) * bitWidth;
      out[i] =
          (int) (Bytes.longAtOrPadded(data, packedAt + (int) (bit >>> 3)) >>> (bit & 7) & mask);
    }
  }

  private void unpack(int first, int n, int[] out, int at) {
    long lastWord = data.length - Long.BYTES - packedAt;
    int words =
        lastWord < 0
            ? 0
            : (int) Math.max(0, Math.min(n, (lastWord * 8 + 7) / bitWidth - first + 1));
    int done = 0;
    if (bitWidth == 8) {
      unpackBytes(first, n, out, at);
      done = n;
    } else if (bitWidth <= 7) {
      done = words & -8;
      unpackEights(first, done, out, at);
    } else if (bitWidth <= 14) {
      done = words & -4;
      unpackFours(first, done, out, at);
    }
    unpackOnes(first, done, n, out, at);
  }

  private void unpackBytes(int first, int n, int[] out, int at) {
    byte[] bytes = data;
    int from = packedAt + first;
    for (int i = 0; i < n; i++) {
      out[at + i] = bytes[from + i] & 0xff;
    }
  }

  // Wherever a value starts in a byte, an 8-byte load holds eight of up to 7 bits, four of up to
  // 14.
  private void unpackEights(int first, int n, int[] out, int at) {
    byte[] bytes = data;
    int w = bitWidth;
    int mask = (1 << w) - 1;
    int from = packedAt;
    long bit = (long) first * w;
    for (int i = 0; i < n; i += 8) {
      long word = Bytes.longAt(bytes, from + (int) (bit >>> 3)) >>> (bit & 7);
      long high = word >>> 4 * w;
      out[at + i] = (int) word & mask;
      out[at + i + 1] = (int) (word >>> w) & mask;
      out[at + i + 2] = (int) (word >>> 2 * w) & mask;
      out[at + i + 3] = (int) (word >>> 3 * w) & mask;
      out[at + i + 4] = (int) high & mask;
      out[at + i + 5] = (int) (high >>> w) & mask;
      out[at + i + 6] = (int) (high >>> 2 * w) & mask;
      out[at + i + 7] = (int) (high >>> 3 * w) & mask;
      bit += 8L * w;
    }
  }

  private void unpackFours(int first, int n, int[] out, int at) {
    byte[] bytes = data;
    int w = bitWidth;
    int mask = (1 << w) - 1;
    int from = packedAt;
    long bit = (long) first * w;
    for (int i = 0; i < n; i += 4) {
      long word = Bytes.longAt(bytes, from + (int) (bit >>> 3)) >>> (bit & 7);
      out[at + i] = (int) word & mask;
      out[at + i + 1] = (int) (word >>> w) & mask;
      out[at + i + 2] = (int) (word >>> 2 * w) & mask;
      out[at + i + 3] = (int) (word >>> 3 * w) & mask;
      bit += 4L * w;
    }
  }

  private void unpackOnes(int first, int done, int n, int[] out, int at) {
    long mask = (1L << bitWidth) - 1;
    for (int i = done; i < n; i++) {
      long bit = (long) (first + i) * bitWidth;
      out[at + i] =
          (int) (Bytes.longAtOrPadded(data, packedAt + (int) (bit >>> 3)) >>> (bit & 7) & mask);
    }
  }

  private void seek(int index) {
    if (index < runStart) {
      throw new IllegalArgumentException("index " + index + " precedes the run at " + runStart);
    }
    while (index >= runEnd) {
      nextRun();
    }
  }

  private void nextRun() {
    int header = varint();
    long count;
    if ((header & 1) == 0) {
      count = header >>> 1;
      int bytes = (bitWidth + 7) >>> 3;
      if (bytes > end - pos) {
        throw new CorruptPageException("a run without its value");
      }
      repeated = true;
      repeatedValue = 0;
      for (int i = 0; i < bytes; i++) {
        repeatedValue |= (data[pos + i] & 0xff) << 8 * i;
      }
      pos += bytes;
    } else {
      long groups = header >>> 1;
      long bytes = Math.min(groups * bitWidth, end - pos);
      // The last group of a page may be cut short after its last value.
      count = Math.min(groups * 8, bytes * 8 / bitWidth);
      repeated = false;
      packedAt = pos;
      pos += (int) bytes;
    }
    if (count <= 0) {
      throw new CorruptPageException("a run of " + count + " values");
    }
    runStart = runEnd;
    // Indexes stop here, even if the padding of a run would go on.
    runEnd = (int) Math.min(runEnd + count, Integer.MAX_VALUE);
  }

  private int varint() {
    int value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      if (pos >= end) {
        throw new CorruptPageException("the page ends before its last value");
      }
      int b = data[pos++];
      value |= (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new CorruptPageException("a run header of more than five bytes");
  }
}
