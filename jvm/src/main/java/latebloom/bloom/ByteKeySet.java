// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;

/** Distinct byte strings, stored back to back in one array, and a hash table of their numbers. */
final class ByteKeySet implements KeyStorage {
  static final int CODE = 1;

  /** The greatest length of a byte array that every JVM allocates, with a margin. */
  static final int MOST_BYTES = Integer.MAX_VALUE - 16;

  private byte[] data = new byte[256];
  private int[] starts = new int[17];
  private long[] hashes = new long[16];
  private int size;

  /** By hash: the number of a string plus one, or zero. At most half of them are not zero. */
  private int[] slots = new int[32];

  int size() {
    return size;
  }

  /** Total length of all strings. */
  int length() {
    return starts[size];
  }

  @Override
  public long memory() {
    return data.length + 4L * (starts.length + slots.length) + 8L * hashes.length;
  }

  /** The hash of string {@code i}. */
  long hash(int i) {
    return hashes[i];
  }

  @Override
  public void forEachHash(KeyDomain domain, LongConsumer action) {
    for (int i = 0; i < size; i++) {
      action.accept(hashes[i]);
    }
  }

  @Override
  public void write(KeyOutput out) {
    out.writeByte(CODE);
    out.writeStrings(this);
  }

  byte[] get(int i) {
    return Arrays.copyOfRange(data, starts[i], starts[i + 1]);
  }

  List<byte[]> values() {
    List<byte[]> values = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      values.add(get(i));
    }
    return values;
  }

  /**
   * Adds a string; returns whether it is new.
   *
   * @param hash by {@link KeyHash}
   */
  boolean add(byte[] bytes, int offset, int length, long hash) {
    int slot = (int) hash & slots.length - 1;
    for (int i; (i = slots[slot] - 1) >= 0; slot = slot + 1 & slots.length - 1) {
      if (hashes[i] == hash
          && Arrays.equals(data, starts[i], starts[i + 1], bytes, offset, offset + length)) {
        return false;
      }
    }
    append(bytes, offset, length, hash);
    slots[slot] = size;
    if (size > slots.length >>> 1) {
      growSlots();
    }
    return true;
  }

  private void append(byte[] bytes, int offset, int length, long hash) {
    int from = starts[size];
    int to = Math.addExact(from, length);
    if (to > data.length) {
      data = Arrays.copyOf(data, (int) Math.min(MOST_BYTES, Math.max(to, 2L * data.length)));
    }
    if (size == hashes.length) {
      hashes = Arrays.copyOf(hashes, 2 * size);
      starts = Arrays.copyOf(starts, 2 * size + 1);
    }
    System.arraycopy(bytes, offset, data, from, length);
    hashes[size++] = hash;
    starts[size] = to;
  }

  private void growSlots() {
    slots = new int[slots.length << 1];
    for (int i = 0; i < size; i++) {
      int slot = (int) hashes[i] & slots.length - 1;
      while (slots[slot] != 0) {
        slot = slot + 1 & slots.length - 1;
      }
      slots[slot] = i + 1;
    }
  }
}
