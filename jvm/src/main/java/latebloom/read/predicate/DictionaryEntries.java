// SPDX-License-Identifier: Apache-2.0
package latebloom.read.predicate;

import org.apache.spark.sql.execution.vectorized.Dictionary;

/** The entries of a dictionary, by code; also what Spark's vectors look codes up in. */
public interface DictionaryEntries extends Dictionary {
  int size();

  /** Filters all entries; as {@link PredicateCursor#filter}. */
  int filter(PredicateCursor predicate, int[] out);

  /** Whether one entry passes. */
  boolean test(PredicateCursor.Compiled predicate, int code);

  /** Throws unless these are codes of entries; the greatest of them. */
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
   * Throws unless these are codes of entries that can be looked up. Spark's vectors look them up
   * when the scan is over, where nobody would say which file is corrupt.
   */
  default void ready(int[] codes, int n) {
    check(codes, n);
  }

  /** What the format's decoders throw where the bytes can't be right. */
  RuntimeException corrupt(String what);

  /** Looks {@code n} codes up among the byte strings, which lie in {@link #data}. */
  void locate(int[] codes, int n, int[] offsets, int[] lengths);

  /** What those byte strings lie in that were located before. */
  byte[] data();
}
