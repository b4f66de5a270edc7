// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Reads the format of {@link KeyOutput}. Trusts nothing: it checks every count against the
 * remaining bytes before it allocates, and reports any fault as an {@link IllegalArgumentException}
 * or a {@link java.nio.BufferUnderflowException}.
 */
final class KeyInput {
  private final ByteBuffer bytes;

  KeyInput(byte[] data, int magic) {
    int end = data.length - Integer.BYTES;
    check(end >= 0);
    ByteBuffer all = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    CRC32C sum = new CRC32C();
    sum.update(data, 0, end);
    check(all.getInt(end) == (int) sum.getValue());
    bytes = all.limit(end);
    check(readInt() == magic);
    check(readByte() == KeyOutput.VERSION);
  }

  /** The magic number of some bytes that may be none of this format; 0 if there are too few. */
  static int magic(byte[] data) {
    return data.length < Integer.BYTES
        ? 0
        : ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).getInt();
  }

  static void check(boolean right) {
    if (!right) {
      throw new IllegalArgumentException("these bytes are no join filter of this version");
    }
  }

  /** Checks that the input ends here. */
  void finish() {
    check(!bytes.hasRemaining());
  }

  int readByte() {
    return bytes.get();
  }

  int readInt() {
    return bytes.getInt();
  }

  long readLong() {
    return bytes.getLong();
  }

  long readVarLong() {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte group = bytes.get();
      value |= (group & 0x7fL) << shift;
      if (group >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number of more than ten bytes");
  }

  byte[] readString() {
    long length = readVarLong() - 1;
    if (length == -1) {
      return null;
    }
    check(length >= 0 && length <= bytes.remaining());
    byte[] value = new byte[(int) length];
    bytes.get(value);
    return value;
  }

  /** Reads a count of elements that take at least {@code width} bytes each. */
  int readCount(int width) {
    int n = readInt();
    check(n >= 0 && n <= bytes.remaining() / width);
    return n;
  }

  long[] readKeys() {
    long[] keys = new long[readCount(1)];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = i == 0 ? readLong() : keys[i - 1] + readVarLong();
      check(i == 0 || keys[i] > keys[i - 1]);
    }
    return keys;
  }

  KeyDomain readDomain() {
    int i = readByte();
    check(i >= 0 && i < KeyDomain.values().length);
    return KeyDomain.values()[i];
  }

  ByteBounds readBounds() {
    boolean any = readByte() != 0;
    byte[] min = readString();
    byte[] max = readString();
    check(any == (min != null) && (any || max == null));
    return new ByteBounds(any, min, max);
  }

  ByteKeySet readStrings() {
    int n = readCount(1);
    ByteKeySet strings = new ByteKeySet();
    for (int i = 0; i < n; i++) {
      byte[] s = readString();
      check(s != null && strings.add(s, 0, s.length, KeyHash.of(s, 0, s.length)));
    }
    return strings;
  }

  KeyBitmap readBitmap() {
    boolean asWords = readByte() != 0;
    long min = readLong();
    long max = readLong();
    check(min <= max && KeyBitmap.fits(min, max, BlockedBloomFilter.MAX_BYTES));
    KeyBitmap bitmap = asWords ? readWords(min, max) : readBits(min, max);
    check(bitmap.size() > 0 && bitmap.min() == min && bitmap.max() == max);
    return bitmap;
  }

  private KeyBitmap readWords(long min, long max) {
    int n = (int) ((max >> 6) - (min >> 6)) + 1;
    check(n <= bytes.remaining() / Long.BYTES);
    long[] words = new long[n + 1];
    for (int i = 0; i < n; i++) {
      words[i] = readLong();
    }
    return new KeyBitmap(min >> 6, words);
  }

  private KeyBitmap readBits(long min, long max) {
    long n = readVarLong();
    check(n > 0 && n <= bytes.remaining());
    KeyBitmap bitmap = new KeyBitmap(min, max);
    long key = min;
    for (long i = 0; i < n; i++) {
      long step = readVarLong();
      check(step >= 0 && step <= max - key);
      key += step;
      check(bitmap.add(key));
    }
    return bitmap;
  }

  BlockedBloomFilter readBloom() {
    int n = readCount(1);
    ByteBuffer blocks = bytes.slice(bytes.position(), n);
    bytes.position(bytes.position() + n);
    return BlockedBloomFilter.of(blocks);
  }
}
