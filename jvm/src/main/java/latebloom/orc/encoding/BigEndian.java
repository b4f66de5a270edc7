// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Unpacks bit-packed numbers, highest bit first. Loads eight bytes from the byte in which a number
 * begins (see {@link ByteFeed#PADDING}): no width of ORC's reaches into a ninth.
 *
 * <p>Each loop has its own method and works on locals, so that C2 hoists the shifts by multiples of
 * the width out of it.
 */
final class BigEndian {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private BigEndian() {}

  static long longAt(byte[] data, int at) {
    return (long) LONG.get(data, at);
  }

  /** The byte length of {@code n} numbers of {@code width} bits. */
  static int bytes(int n, int width) {
    return (n * width + 7) >>> 3;
  }

  /** Number {@code index} of those packed from byte {@code from} on. */
  static long at(byte[] data, int from, int width, int index) {
    int bit = index * width;
    return longAt(data, from + (bit >>> 3)) << (bit & 7) >>> Long.SIZE - width;
  }

  /**
   * Writes {@code n} numbers, starting with number {@code first}, to {@code out} from {@code to}
   * on.
   */
  static void unpack(byte[] data, int from, int width, int first, int n, long[] out, int to) {
    int done = 0;
    if (width <= 14) {
      done = n & -4;
      fours(data, from, width, first, done, out, to);
    } else if (width <= 28) {
      done = n & -2;
      twos(data, from, width, first, done, out, to);
    }
    ones(data, from, width, first + done, n - done, out, to + done);
  }

  private static void fours(
      byte[] data, int from, int width, int first, int n, long[] out, int to) {
    int unused = Long.SIZE - width;
    int bit = first * width;
    for (int i = 0; i < n; i += 4) {
      long word = longAt(data, from + (bit >>> 3)) << (bit & 7);
      out[to + i] = word >>> unused;
      out[to + i + 1] = word << width >>> unused;
      out[to + i + 2] = word << 2 * width >>> unused;
      out[to + i + 3] = word << 3 * width >>> unused;
      bit += 4 * width;
    }
  }

  private static void twos(byte[] data, int from, int width, int first, int n, long[] out, int to) {
    int unused = Long.SIZE - width;
    int bit = first * width;
    for (int i = 0; i < n; i += 2) {
      long word = longAt(data, from + (bit >>> 3)) << (bit & 7);
      out[to + i] = word >>> unused;
      out[to + i + 1] = word << width >>> unused;
      bit += 2 * width;
    }
  }

  private static void ones(byte[] data, int from, int width, int first, int n, long[] out, int to) {
    int unused = Long.SIZE - width;
    int bit = first * width;
    for (int i = 0; i < n; i++) {
      out[to + i] = longAt(data, from + (bit >>> 3)) << (bit & 7) >>> unused;
      bit += width;
    }
  }

  /** Writes the numbers {@code indexes[from, to) - base} to the same places of {@code out}. */
  static void pick(
      byte[] data, int at, int width, int base, int[] indexes, int from, int to, long[] out) {
    int unused = Long.SIZE - width;
    for (int i = from; i < to; i++) {
      int bit = (indexes[i] - base) * width;
      out[i] = longAt(data, at + (bit >>> 3)) << (bit & 7) >>> unused;
    }
  }

  /** Converts zigzag numbers to signed ones, in place. */
  static void unzigzag(long[] values, int from, int n) {
    for (int i = from; i < from + n; i++) {
      values[i] = values[i] >>> 1 ^ -(values[i] & 1);
    }
  }
}
