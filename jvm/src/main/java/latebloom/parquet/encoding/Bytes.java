// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A range of a file's bytes in memory: {@code array[start, start + length)}. Unchanged until its
 * row group is released.
 */
public record Bytes(byte[] array, int start, int length) {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  public int end() {
    return start + length;
  }

  /** The part {@code [from, from + length)}, counted from the start of this. */
  public Bytes slice(int from, int length) {
    if (from < 0 || length < 0 || from > this.length - length) {
      throw new CorruptPageException(
          "bytes " + from + " to " + ((long) from + length) + " of " + this.length);
    }
    return new Bytes(array, start + from, length);
  }

  /** The same bytes in an array of their own. */
  public Bytes copy() {
    return new Bytes(Arrays.copyOfRange(array, start, end()), 0, length);
  }

  /** The length of a part, stored in the four bytes before it. */
  public int framedLength() {
    if (length < Integer.BYTES) {
      throw new CorruptPageException("the page ends before the length of a part of it");
    }
    int framed = intAt(array, start);
    if (framed < 0 || framed > length - Integer.BYTES) {
      throw new CorruptPageException("a part of " + framed + " bytes in a page of " + length);
    }
    return framed;
  }

  public static int intAt(byte[] a, int at) {
    return (int) INT.get(a, at);
  }

  static long longAt(byte[] a, int at) {
    return (long) LONG.get(a, at);
  }

  static void putLong(byte[] a, int at, long value) {
    LONG.set(a, at, value);
  }

  /** Eight bytes from {@code at}; those past the array's end read as zero. */
  static long longAtOrPadded(byte[] a, int at) {
    if (at <= a.length - Long.BYTES) {
      return (long) LONG.get(a, at);
    }
    long v = 0;
    for (int i = a.length - 1; i >= at; i--) {
      v = v << 8 | (a[i] & 0xffL);
    }
    return v;
  }

  /** A big-endian two's complement number of up to 8 bytes, sign-extended. */
  static long signedBigEndian(byte[] a, int at, int length) {
    long v = length == 0 ? 0 : a[at];
    for (int i = 1; i < length; i++) {
      v = v << 8 | (a[at + i] & 0xffL);
    }
    return v;
  }
}
