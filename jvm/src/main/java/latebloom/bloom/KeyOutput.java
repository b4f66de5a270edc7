// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Writes the format of {@link KeyInput}: little endian, a magic number and a version first, the
 * CRC-32C of all bytes before it last.
 */
final class KeyOutput {
  static final int VERSION = 1;

  private ByteBuffer bytes = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);

  KeyOutput(int magic) {
    writeInt(magic);
    writeByte(VERSION);
  }

  private ByteBuffer room(int n) {
    if (bytes.remaining() < n) {
      int needed = Math.addExact(bytes.position(), n);
      int capacity = (int) Math.min(ByteKeySet.MOST_BYTES, Math.max(needed, 2L * bytes.capacity()));
      byte[] wider = Arrays.copyOf(bytes.array(), capacity);
      bytes = ByteBuffer.wrap(wider).order(ByteOrder.LITTLE_ENDIAN).position(bytes.position());
    }
    return bytes;
  }

  void writeByte(int value) {
    room(1).put((byte) value);
  }

  void writeInt(int value) {
    room(Integer.BYTES).putInt(value);
  }

  void writeLong(long value) {
    room(Long.BYTES).putLong(value);
  }

  /** Writes a number in groups of seven bits, the lowest first, so that small ones are short. */
  void writeVarLong(long value) {
    long rest = value;
    for (; (rest & ~0x7fL) != 0; rest >>>= 7) {
      writeByte((int) rest | 0x80);
    }
    writeByte((int) rest);
  }

  /** Writes a string, or null. */
  void writeString(byte[] value) {
    writeVarLong(value == null ? 0 : value.length + 1L);
    if (value != null) {
      room(value.length).put(value);
    }
  }

  /** Writes distinct ascending keys: the first, then the differences. */
  void writeKeys(long[] keys) {
    writeInt(keys.length);
    for (int i = 0; i < keys.length; i++) {
      if (i == 0) {
        writeLong(keys[0]);
      } else {
        writeVarLong(keys[i] - keys[i - 1]);
      }
    }
  }

  void writeBounds(ByteBounds bounds) {
    writeByte(bounds.any() ? 1 : 0);
    writeString(bounds.min().orElse(null));
    writeString(bounds.max().orElse(null));
  }

  void writeStrings(ByteKeySet strings) {
    writeInt(strings.size());
    for (int i = 0; i < strings.size(); i++) {
      writeString(strings.get(i));
    }
  }

  /**
   * Writes words, or differences of keys if the keys are more than two bytes apart in the words.
   */
  void writeBitmap(KeyBitmap bitmap) {
    boolean words = bitmap.length() * 8L <= bitmap.size() * 2;
    writeByte(words ? 1 : 0);
    writeLong(bitmap.min());
    writeLong(bitmap.max());
    if (words) {
      for (int i = 0; i < bitmap.length(); i++) {
        writeLong(bitmap.word(i));
      }
    } else {
      writeVarLong(bitmap.size());
      long[] before = {bitmap.min()};
      bitmap.forEach(
          key -> {
            writeVarLong(key - before[0]);
            before[0] = key;
          });
    }
  }

  void writeBloom(BlockedBloomFilter bloom) {
    writeInt(bloom.bytes());
    room(bloom.bytes()).put(bloom.toBytes());
  }

  byte[] finish() {
    CRC32C sum = new CRC32C();
    sum.update(bytes.array(), 0, bytes.position());
    writeInt((int) sum.getValue());
    return Arrays.copyOf(bytes.array(), bytes.position());
  }
}
