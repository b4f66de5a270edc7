// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import org.apache.spark.sql.execution.vectorized.Dictionary;

/** The entries of a dictionary, by code; Spark's vectors look codes up in it as well. */
public interface DictionaryEntries extends Dictionary {
  int size();

  /** Filters all entries, as {@link PredicateCursor#filter} does. */
  int filter(PredicateCursor predicate, int[] out);

  /** Whether one entry passes. */
  boolean test(PredicateCursor.Compiled predicate, int code);

  /** Throws unless all codes are those of entries; returns the greatest. */
  default int check(int[] codes, int n) {
    int max = -1;
    int min = 0;
    for (int i = 0; i < n; i++) {
      max = Math.max(max, codes[i]);
      min = Math.min(min, codes[i]);
    }
    if (min < 0 || max >= size()) {
      throw corrupt("dictionary code " + (min < 0 ? min : max) + " of " + size() + " entries");
    }
    return max;
  }

  /**
   * Throws unless all codes are those of valid entries. Spark's vectors look them up after the
   * scan, where an error would no longer name the corrupt file.
   */
  default void ready(int[] codes, int n) {
    check(codes, n);
  }

  /** The error of the format's decoders for invalid bytes. */
  RuntimeException corrupt(String what);

  /** Looks up {@code n} codes among the byte strings, which lie in {@link #data}. */
  void locate(int[] codes, int n, int[] offsets, int[] lengths);

  /** The bytes of the strings that {@link #locate} found. */
  byte[] data();
}
