// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.nested;

import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.encoding.RleBitPackingHybridDecoder;

/**
 * A cursor over the levels of one page of a list's or map's leaf, 64 at a time, so that memory does
 * not grow with the number of levels that the page claims.
 *
 * <pre>
 *   row           [a, null]   null   []   [b]
 *   repetition     0  1        0     0     0
 *   starts         x           x     x     x     a row begins
 *   there          x  x              x     x     its list or map is not null
 *   entries        x  x                    x     one entry of it
 *   values         x                       x     which is not null
 * </pre>
 */
final class RepeatedLevels {
  private static final int WORD = Long.SIZE;

  private final RleBitPackingHybridDecoder repetition;
  private final RleBitPackingHybridDecoder definition;
  private final int count;
  private final int level;
  private final int max;
  private final int[] block = new int[WORD];

  private int end;

  /** Whether an entry came before the current word, which goes on; so it may before the page. */
  private boolean inEntry = true;

  /** The current word: the number of levels, and a bit set per property. */
  int n;

  long starts;
  long there;
  long entries;
  long values;

  /** Rows that begin on the page before the current word, and values there. */
  int rowsBefore;

  int valuesBefore;

  /**
   * @param count levels of the page
   * @param level definition level of a list or map that is not null
   * @param max definition level of a value
   */
  RepeatedLevels(Bytes repetition, Bytes definition, int count, int level, int max) {
    this.repetition = cursor(repetition, 1);
    this.definition = cursor(definition, Integer.SIZE - Integer.numberOfLeadingZeros(max));
    this.count = count;
    this.level = level;
    this.max = max;
  }

  private static RleBitPackingHybridDecoder cursor(Bytes b, int width) {
    return new RleBitPackingHybridDecoder(b.array(), b.start(), b.end(), width);
  }

  /** Moves to the next word, at first to the first; false after the last. */
  boolean next() {
    rowsBefore += Long.bitCount(starts);
    valuesBefore += Long.bitCount(values);
    n = Math.min(WORD, count - end);
    if (n == 0) {
      starts = 0;
      values = 0;
      return false;
    }
    long all = -1L >>> (WORD - n);
    starts = ~repetition.notZeros(end, n) & all;
    long shared = definition.shared(end, end + n - 1);
    if (shared >= 0) {
      check(shared);
      there = shared >= level ? all : 0;
      entries = shared > level ? all : 0;
      values = shared == max ? all : 0;
    } else {
      unpack();
    }
    if ((~starts & ~entries & all) != 0) {
      throw new CorruptPageException("an entry of a list or map that has none");
    }
    if ((~starts & ~(entries << 1 | (inEntry ? 1 : 0)) & all) != 0) {
      throw new CorruptPageException("an entry behind a list or map that has none");
    }
    inEntry = (entries >>> (n - 1) & 1) != 0;
    end += n;
    return true;
  }

  /** Whether the last level that was read is of an entry. */
  boolean endsInEntry() {
    return inEntry;
  }

  private void unpack() {
    definition.readRange(end, n, block);
    long isThere = 0;
    long isEntry = 0;
    long isValue = 0;
    int most = 0;
    for (int i = 0; i < n; i++) {
      int d = block[i];
      most = Math.max(most, d);
      isThere |= (d >= level ? 1L : 0) << i;
      isEntry |= (d > level ? 1L : 0) << i;
      isValue |= (d == max ? 1L : 0) << i;
    }
    check(most);
    there = isThere;
    entries = isEntry;
    values = isValue;
  }

  private void check(long definitionLevel) {
    if (definitionLevel > max) {
      throw new CorruptPageException("definition level " + definitionLevel + ", at most " + max);
    }
  }

  /** Index among the page's values of the value at {@code bit} of the current word. */
  int valueIndex(int bit) {
    return valuesBefore + Long.bitCount(values & (1L << bit) - 1);
  }
}
