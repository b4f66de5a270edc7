// SPDX-License-Identifier: Apache-2.0
package latebloom.read.text;

import java.util.Arrays;
import latebloom.line.Collations;
import org.apache.spark.unsafe.types.UTF8String;

/** The strings whose lower or upper case form passes a test. */
record CaseMappedPredicate(BytesPredicate mapped, boolean upper, boolean icu)
    implements BytesPredicate {
  @Override
  public BytesPredicate.Cursor cursor() {
    return new Cursor(mapped.cursor(), upper, icu);
  }

  @Override
  public String toString() {
    return (upper ? "upper: " : "lower: ") + mapped;
  }

  /**
   * Maps strings, then tests them. ASCII is mapped byte by byte; a string with anything else in it
   * is left to Spark's own mapping.
   */
  private static final class Cursor implements BytesPredicate.Cursor {
    private static final long NOT_ASCII = 0x8080808080808080L;
    private static final int FIRST_BYTES = 1 << 16;

    private final BytesPredicate.Cursor mapped;
    private final boolean upper;
    private final boolean icu;

    private byte[] buffer = {};
    private int[] starts = {};
    private int[] sizes = {};

    Cursor(BytesPredicate.Cursor mapped, boolean upper, boolean icu) {
      this.mapped = mapped;
      this.upper = upper;
      this.icu = icu;
    }

    @Override
    public boolean test(byte[] data, int offset, int length) {
      int size = map(data, offset, length, 0);
      return mapped.test(buffer, 0, size);
    }

    /** Maps all, so that the mapped test's own loop does the work. */
    @Override
    public int filter(byte[] data, int[] offsets, int[] lengths, int n, int[] out) {
      if (starts.length < n) {
        starts = new int[n];
        sizes = new int[n];
      }
      int at = 0;
      for (int i = 0; i < n; i++) {
        starts[i] = at;
        sizes[i] = map(data, offsets[i], lengths[i], at);
        at += sizes[i];
      }
      return mapped.filter(buffer, starts, sizes, n, out);
    }

    /** Writes the mapped string to the buffer from {@code at} on; how many bytes it has. */
    private int map(byte[] data, int offset, int length, int at) {
      makeRoom(at, length);
      if (isAscii(data, offset, length)) {
        byte first = (byte) (upper ? 'a' : 'A');
        for (int i = 0; i < length; i++) {
          byte b = data[offset + i];
          buffer[at + i] = (byte) (b ^ (b >= first && b <= first + 25 ? 0x20 : 0));
        }
        return length;
      }
      UTF8String text = UTF8String.fromBytes(data, offset, length);
      byte[] bytes = (upper ? Collations.upper(text, icu) : Collations.lower(text, icu)).getBytes();
      makeRoom(at, bytes.length);
      System.arraycopy(bytes, 0, buffer, at, bytes.length);
      return bytes.length;
    }

    private void makeRoom(int at, int length) {
      if (buffer.length - at < length) {
        int least = Math.max(FIRST_BYTES, 2 * buffer.length);
        buffer = Arrays.copyOf(buffer, Math.max(at + length, least));
      }
    }

    private static boolean isAscii(byte[] data, int offset, int length) {
      int i = 0;
      long seen = 0;
      for (; i <= length - Long.BYTES; i += Long.BYTES) {
        seen |= ByteStrings.load(data, offset + i);
      }
      for (; i < length; i++) {
        seen |= data[offset + i];
      }
      return (seen & NOT_ASCII) == 0;
    }
  }
}
