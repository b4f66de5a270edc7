// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.Arrays;
import java.util.function.LongConsumer;

/** Distinct {@code long} keys: an open-addressing hash table that is at most half full. */
final class LongKeySet implements KeyStorage {
  static final int CODE = 0;

  private long[] table = new long[64];
  private int size;

  /** Zero marks a free slot, so the key zero is stored apart. */
  private boolean zero;

  static LongKeySet of(long[] keys) {
    LongKeySet set = new LongKeySet();
    for (long key : keys) {
      set.add(key);
    }
    return set;
  }

  int size() {
    return size;
  }

  @Override
  public long memory() {
    return (long) table.length * Long.BYTES;
  }

  /** Adds a key; returns whether it is new. */
  boolean add(long key) {
    if (key == 0) {
      boolean fresh = !zero;
      zero = true;
      size += fresh ? 1 : 0;
      return fresh;
    }
    int slot = slot(key);
    if (table[slot] == key) {
      return false;
    }
    table[slot] = key;
    if (++size > table.length >>> 1) {
      grow();
    }
    return true;
  }

  private int slot(long key) {
    long[] t = table;
    int slot = (int) (KeyHash.of(key) & t.length - 1);
    while (t[slot] != 0 && t[slot] != key) {
      slot = slot + 1 & t.length - 1;
    }
    return slot;
  }

  private void grow() {
    long[] before = table;
    table = new long[before.length << 1];
    for (long key : before) {
      if (key != 0) {
        table[slot(key)] = key;
      }
    }
  }

  void forEach(LongConsumer action) {
    if (zero) {
      action.accept(0);
    }
    for (long key : table) {
      if (key != 0) {
        action.accept(key);
      }
    }
  }

  @Override
  public void forEachHash(KeyDomain domain, LongConsumer action) {
    forEach(key -> action.accept(domain.hash(key)));
  }

  @Override
  public void write(KeyOutput out) {
    out.writeByte(CODE);
    out.writeKeys(sorted());
  }

  long[] sorted() {
    long[] keys = new long[size];
    int n = zero ? 1 : 0;
    for (long key : table) {
      if (key != 0) {
        keys[n++] = key;
      }
    }
    Arrays.sort(keys);
    return keys;
  }
}
