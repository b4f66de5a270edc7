// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.nested;

import java.util.Arrays;

/** The kept entries of maps, counted over the rows of one call. */
final class EntryBits {
  private long[] words = new long[64];

  /** Words in use: those after them are zero. */
  private int used;

  void clear() {
    Arrays.fill(words, 0, used, 0);
    used = 0;
  }

  void set(int entry) {
    int word = entry >>> 6;
    if (word >= used) {
      if (word >= words.length) {
        words = Arrays.copyOf(words, Math.max(word + 1, words.length + words.length / 2));
      }
      used = word + 1;
    }
    words[word] |= 1L << entry;
  }

  /** Bits of the {@code n} entries from {@code from} on, the first lowest; {@code n} is 1 to 64. */
  long bits(int from, int n) {
    int word = from >>> 6;
    int shift = from & 63;
    long low = word < used ? words[word] >>> shift : 0;
    long high = shift > 0 && word + 1 < used ? words[word + 1] << (64 - shift) : 0;
    return (low | high) & -1L >>> (64 - n);
  }

  /** How many of the {@code n} entries from {@code from} on are kept. */
  int count(int from, int n) {
    int count = 0;
    for (int done = 0; done < n; done += 64) {
      count += Long.bitCount(bits(from + done, Math.min(64, n - done)));
    }
    return count;
  }
}
