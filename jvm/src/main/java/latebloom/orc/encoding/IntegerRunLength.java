// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import java.util.Arrays;
import latebloom.read.vector.FixedValues;
import org.apache.orc.OrcProto.ColumnEncoding;
import org.apache.orc.impl.PositionProvider;

/**
 * A cursor over integers in runs of up to {@link #MOST} values. A run without wanted values costs
 * its header only; in a bit-packed run each value is addressed by its index.
 *
 * <pre>
 *   index    0        runStart      runEnd
 *            |--------|-------------|-----
 *   a run is  a progression   first + i * step; a repeated value has step 0
 *             packed          in the feed's bytes, from packedAt on
 *             listed          in {@link #listed}
 * </pre>
 */
public abstract class IntegerRunLength implements FixedValues, Positioned {
  /** The most values of a run. */
  static final int MOST = 512;

  private enum Form {
    PROGRESSION,
    PACKED,
    LISTED
  }

  public final ByteFeed feed;
  protected final boolean signed;

  /** Shifting left and right by this many bits narrows a long to the value's width. */
  private final int surplus;

  /** The values of a run that can only be decoded whole. */
  protected final long[] listed = new long[MOST];

  private int runStart;
  private int runEnd;
  private Form form = Form.LISTED;
  private long first;
  private long step;
  private int width;
  private int packedAt;

  /** Unconsumed bytes of the current run in the feed. */
  private int packedBytes;

  /**
   * @param bits of a value: wider ones are truncated, as Spark's reader does
   */
  IntegerRunLength(ByteFeed feed, boolean signed, int bits) {
    this.feed = feed;
    this.signed = signed;
    this.surplus = Long.SIZE - bits;
  }

  /** Creates the cursor for the encoding's version. */
  public static IntegerRunLength of(
      ColumnEncoding.Kind kind, ByteFeed feed, boolean signed, int bits) {
    return kind == ColumnEncoding.Kind.DIRECT_V2 || kind == ColumnEncoding.Kind.DICTIONARY_V2
        ? new RunLengthV2(feed, signed, bits)
        : new RunLengthV1(feed, signed, bits);
  }

  /** Reads the header of the next run; returns its number of values. */
  protected abstract int header();

  /**
   * Completes the run whose header was read last: calls {@link #progression} or {@link #packed}, or
   * fills {@link #listed}.
   *
   * @param wanted whether a value of it is needed; if not, only its bytes must be skipped
   */
  protected abstract void body(boolean wanted);

  protected final void progression(long first, long step) {
    this.form = Form.PROGRESSION;
    this.first = first;
    this.step = step;
  }

  protected final void packed(int width, int bytes) {
    feed.need(bytes);
    this.form = Form.PACKED;
    this.width = width;
    this.packedAt = feed.pos();
    this.packedBytes = bytes;
  }

  @Override
  public final void seek(PositionProvider positions) {
    feed.seek(positions);
    long passed = positions.getNext();
    if (passed < 0 || passed > Integer.MAX_VALUE) {
      throw feed.corrupt("a position of " + passed + " values in a run");
    }
    runStart = (int) -passed;
    runEnd = runStart;
    packedBytes = 0;
  }

  /**
   * The index after the run that holds {@code index}, if that run repeats one value; else {@code
   * index}.
   */
  public final int repeatedUntil(int index) {
    goTo(index);
    return form == Form.PROGRESSION && step == 0 ? runEnd : index;
  }

  /** The value that the current run repeats. */
  public final long repeated() {
    return narrow(first);
  }

  @Override
  public final void read(int[] indexes, int n, long[] out) {
    if (n > 0 && indexes[n - 1] - indexes[0] == n - 1) {
      readRange(indexes[0], n, out);
      return;
    }
    int i = 0;
    while (i < n) {
      goTo(indexes[i]);
      int stop = n;
      if (indexes[n - 1] >= runEnd) {
        stop = i + 1;
        while (indexes[stop] < runEnd) {
          stop++;
        }
      }
      pick(indexes, i, stop, out);
      i = stop;
    }
  }

  /** Writes the {@code n} values from index {@code from} on. */
  public final void readRange(int from, int n, long[] out) {
    int i = 0;
    while (i < n) {
      goTo(from + i);
      int k = Math.min(n - i, runEnd - from - i);
      take(from + i - runStart, k, out, i);
      i += k;
    }
  }

  private void take(int at, int n, long[] out, int to) {
    switch (form) {
      case PROGRESSION -> {
        if (step == 0) {
          Arrays.fill(out, to, to + n, narrow(first));
          return;
        }
        for (int i = 0; i < n; i++) {
          out[to + i] = narrow(first + step * (at + i));
        }
      }
      case LISTED -> System.arraycopy(listed, at, out, to, n);
      case PACKED -> {
        BigEndian.unpack(feed.data(), packedAt, width, at, n, out, to);
        unpacked(out, to, n);
      }
    }
  }

  private void pick(int[] indexes, int from, int to, long[] out) {
    switch (form) {
      case PROGRESSION -> {
        for (int i = from; i < to; i++) {
          out[i] = narrow(first + step * (indexes[i] - runStart));
        }
      }
      case LISTED -> {
        for (int i = from; i < to; i++) {
          out[i] = listed[indexes[i] - runStart];
        }
      }
      case PACKED -> {
        BigEndian.pick(feed.data(), packedAt, width, runStart, indexes, from, to, out);
        unpacked(out, from, to - from);
      }
    }
  }

  private void unpacked(long[] out, int from, int n) {
    if (signed) {
      BigEndian.unzigzag(out, from, n);
    }
    if (width > Long.SIZE - surplus) {
      narrow(out, from, n);
    }
  }

  private long narrow(long value) {
    return value << surplus >> surplus;
  }

  private void narrow(long[] values, int from, int n) {
    for (int i = from; i < from + n; i++) {
      values[i] = values[i] << surplus >> surplus;
    }
  }

  private void goTo(int index) {
    if (index < runStart) {
      throw new IllegalArgumentException("value " + index + " precedes the run at " + runStart);
    }
    while (index >= runEnd) {
      feed.skip(packedBytes);
      packedBytes = 0;
      runStart = runEnd;
      int count = header();
      if (count > Integer.MAX_VALUE - MOST - Math.max(runEnd, 0)) {
        throw feed.corrupt("more values than a stripe can have");
      }
      runEnd += count;
      form = Form.LISTED;
      body(index < runEnd);
      if (form == Form.LISTED && surplus > 0 && index < runEnd) {
        narrow(listed, 0, count);
      }
    }
  }

  /** Reads the next number, in groups of seven bits, the lowest first. */
  protected final long varlong() {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      int b = feed.next();
      value |= (b & 0x7fL) << shift;
      if (b < 0x80) {
        return value;
      }
    }
    throw feed.corrupt("a number of more than ten bytes");
  }

  protected static long unzigzag(long value) {
    return value >>> 1 ^ -(value & 1);
  }
}
