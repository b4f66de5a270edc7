// SPDX-License-Identifier: Apache-2.0
package latebloom.read.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Loads and comparisons of bytes, eight at a time. A load never leaves the array. */
final class ByteStrings {
  private ByteStrings() {}

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long HIGH_BITS = 0x8080808080808080L;

  /** Loads eight bytes; the one at {@code at} is the lowest. */
  static long load(byte[] data, int at) {
    return (long) LONGS.get(data, at);
  }

  /** The first eight bytes of a string, the first one lowest, with zeros after its end. */
  static long head(byte[] data, int offset, int length) {
    if (length >= 8) {
      return load(data, offset);
    }
    if (length == 0) {
      return 0;
    }
    if (offset + 8 <= data.length) {
      return load(data, offset) & -1L >>> -(length << 3);
    }
    long head = 0;
    for (int i = 0; i < length; i++) {
      head |= (data[offset + i] & 0xffL) << (i << 3);
    }
    return head;
  }

  /** Compares two strings by unsigned bytes, a prefix first. */
  static int compare(byte[] a, int offset, int length, byte[] b, long headOfB) {
    long headOfA = head(a, offset, length);
    if (headOfA != headOfB) {
      return Long.compareUnsigned(Long.reverseBytes(headOfA), Long.reverseBytes(headOfB));
    }
    return Arrays.compareUnsigned(a, offset, offset + length, b, 0, b.length);
  }

  /** A hash of the string, equal for equal strings. */
  static int hash(byte[] data, int offset, int length) {
    long hash = length;
    int at = 0;
    for (; at + 8 < length; at += 8) {
      hash = (hash ^ load(data, offset + at)) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    hash = (hash ^ head(data, offset + at, length - at)) * 0x9E3779B97F4A7C15L;
    return (int) (hash >>> 32);
  }

  /**
   * Whether the string is well-formed UTF-8, that is, whether decoding replaces nothing: no
   * overlong form, surrogate, code point above U+10FFFF, stray or missing continuation byte.
   */
  static boolean isUtf8(byte[] data, int offset, int length) {
    int end = offset + length;
    int at = offset;
    while (at < end) {
      if (at + 8 <= end && (load(data, at) & HIGH_BITS) == 0) {
        at += 8;
        continue;
      }
      int lead = data[at++];
      if (lead >= 0) {
        continue;
      }
      lead &= 0xff;
      int continuations = lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
      if (continuations == 0 || continuations > end - at) {
        return false;
      }
      int second = data[at] & 0xff;
      int least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
      int most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
      if (second < least || second > most) {
        return false;
      }
      for (int i = 1; i < continuations; i++) {
        if (!isContinuation(data[at + i])) {
          return false;
        }
      }
      at += continuations;
    }
    return true;
  }

  /** Whether a byte of well-formed UTF-8 continues a character. */
  static boolean isContinuation(byte b) {
    return (b & 0xc0) == 0x80;
  }
}
