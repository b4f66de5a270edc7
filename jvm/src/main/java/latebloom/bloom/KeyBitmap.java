// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.function.LongConsumer;
import latebloom.read.predicate.LongProbe;
import latebloom.read.predicate.LongRanges;

/**
 * Distinct {@code long} keys that lie close together: one bit per key. Grows while keys are added,
 * and is immutable as a probe.
 *
 * <p>Key {@code k} is bit {@code k & 63} of word {@code k >> 6}. The array has the words from
 * {@link #first} on, and after them a word of zeros, where keys outside are looked up.
 */
final class KeyBitmap implements KeyStorage, LongProbe {
  static final int CODE = 2;
  private static final long serialVersionUID = 1L;

  private long first;
  private long[] words;
  private long size;

  /** Room for the keys of {@code [min, max]}, in at most {@link Integer#MAX_VALUE} - 1 words. */
  KeyBitmap(long min, long max) {
    first = min >> 6;
    words = new long[Math.toIntExact((max >> 6) - first + 2)];
  }

  /** Owns {@code words}, the last of which is zero. */
  KeyBitmap(long first, long[] words) {
    this.first = first;
    this.words = words;
    for (long word : words) {
      size += Long.bitCount(word);
    }
  }

  /** Whether the keys of {@code [min, max]} take no more than {@code bytes}. */
  static boolean fits(long min, long max, long bytes) {
    return (max >> 6) - (min >> 6) < bytes >>> 3;
  }

  long size() {
    return size;
  }

  @Override
  public long memory() {
    return (long) words.length * Long.BYTES;
  }

  /** The number of words, without the last one. */
  int length() {
    return words.length - 1;
  }

  long word(int i) {
    return words[i];
  }

  /** Grows to {@code [min, max]}, which fits and contains all keys, and further if that fits. */
  void reach(long min, long max, long bytes) {
    long from = min >> 6;
    long to = (max >> 6) + 1;
    long end = first + length();
    if (from >= first && to <= end) {
      return;
    }
    long spare = Math.min((bytes >>> 3) - (to - from), (to - from) >>> 2);
    if (from < first) {
      from -= spare;
    } else {
      to += spare;
    }
    long[] wider = new long[(int) (to - from) + 1];
    long kept = Math.max(from, first);
    int n = (int) (Math.min(to, end) - kept);
    System.arraycopy(words, (int) (kept - first), wider, (int) (kept - from), n);
    first = from;
    words = wider;
  }

  /** Adds a key, for which there is room; returns whether it is new. */
  boolean add(long key) {
    int at = (int) ((key >> 6) - first);
    long bit = 1L << key;
    if ((words[at] & bit) != 0) {
      return false;
    }
    words[at] |= bit;
    size++;
    return true;
  }

  /** Adds all keys of another bitmap, for which there is room. */
  void addAll(KeyBitmap that) {
    int shift = (int) (that.first - first);
    for (int i = 0; i < that.length(); i++) {
      if (that.words[i] != 0) {
        long word = words[i + shift];
        words[i + shift] = word | that.words[i];
        size += Long.bitCount(that.words[i] & ~word);
      }
    }
  }

  /** Visits keys in ascending order. */
  void forEach(LongConsumer action) {
    for (int i = 0; i < length(); i++) {
      for (long rest = words[i]; rest != 0; rest &= rest - 1) {
        action.accept(first + i << 6 | Long.numberOfTrailingZeros(rest));
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
    out.writeBitmap(trimmed(min(), max()));
  }

  /** A copy of the words from {@code min} to {@code max}, which contain all keys. */
  KeyBitmap trimmed(long min, long max) {
    long from = min >> 6;
    long[] kept = new long[(int) ((max >> 6) - from) + 2];
    System.arraycopy(words, (int) (from - first), kept, 0, kept.length - 1);
    return new KeyBitmap(from, kept);
  }

  /** The least key; the bitmap is not empty. */
  long min() {
    int i = 0;
    while (words[i] == 0) {
      i++;
    }
    return first + i << 6 | Long.numberOfTrailingZeros(words[i]);
  }

  /** The greatest key; the bitmap is not empty. */
  long max() {
    int i = length() - 1;
    while (words[i] == 0) {
      i--;
    }
    return first + i << 6 | 63 - Long.numberOfLeadingZeros(words[i]);
  }

  @Override
  public LongRanges range() {
    return LongRanges.of(min(), max());
  }

  @Override
  public boolean test(long key) {
    return bit(key, first, words) != 0;
  }

  @Override
  public boolean covers(long min, long max) {
    long from = (min >> 6) - first;
    long to = (max >> 6) - first;
    if (min > max || from < 0 || to >= length()) {
      return false;
    }
    for (int i = (int) from; i <= to; i++) {
      if ((~words[i] & bitsWithin(first + i, min, max)) != 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean isDisjoint(long min, long max) {
    long from = Math.max((min >> 6) - first, 0);
    long to = Math.min((max >> 6) - first, length() - 1);
    for (long i = from; i <= to; i++) {
      if ((words[(int) i] & bitsWithin(first + i, min, max)) != 0) {
        return false;
      }
    }
    return true;
  }

  /** The bits of the keys from {@code 64 * word} on, 64 of them, that lie in the interval. */
  private static long bitsWithin(long word, long min, long max) {
    return (word == min >> 6 ? -1L << min : -1L) & (word == max >> 6 ? -1L >>> ~max : -1L);
  }

  @Override
  public int filter(long[] values, int n, int[] out) {
    long from = first;
    long[] bits = words;
    int k = 0;
    for (int i = 0; i < n; i++) {
      out[k] = i;
      k += bit(values[i], from, bits);
    }
    return k;
  }

  private static int bit(long key, long first, long[] words) {
    long at = (key >> 6) - first;
    long outside = words.length - 1;
    at = Long.compareUnsigned(at, outside) < 0 ? at : outside;
    return (int) (words[(int) at] >>> key) & 1;
  }

  @Override
  public String toString() {
    return "bitmap of " + size + " keys";
  }
}
