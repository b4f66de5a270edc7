// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import latebloom.read.vector.FixedValues;
import org.apache.orc.impl.PositionProvider;

/** Reads booleans, as 0 or 1. */
public final class BooleanValues implements FixedValues, Positioned {
  private static final int SPAN = 1024;

  private final BooleanRunLength bits;
  private final long[] words = new long[SPAN / Long.SIZE];
  private int next;

  public BooleanValues(ByteFeed feed) {
    this.bits = new BooleanRunLength(feed);
  }

  @Override
  public void seek(PositionProvider positions) {
    bits.seek(positions);
    next = 0;
  }

  @Override
  public void read(int[] indexes, int n, long[] out) {
    int i = 0;
    while (i < n) {
      bits.skip(indexes[i] - next);
      int from = indexes[i];
      int stop = Spans.stop(indexes, i, n, SPAN);
      next = indexes[stop - 1] + 1;
      bits.read(next - from, words);
      pick(words, from, indexes, i, stop, out);
      i = stop;
    }
  }

  private static void pick(long[] words, int first, int[] indexes, int from, int to, long[] out) {
    for (int i = from; i < to; i++) {
      int bit = indexes[i] - first;
      out[i] = words[bit >>> 6] >>> bit & 1;
    }
  }
}
