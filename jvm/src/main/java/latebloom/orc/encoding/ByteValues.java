// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import latebloom.read.vector.FixedValues;
import org.apache.orc.impl.PositionProvider;

/** Reads integers of one byte. */
public final class ByteValues implements FixedValues, Positioned {
  private static final int SPAN = 1024;

  private final ByteRunLength bytes;
  private final byte[] span = new byte[SPAN];
  private int next;

  public ByteValues(ByteFeed feed) {
    this.bytes = new ByteRunLength(feed);
  }

  @Override
  public void seek(PositionProvider positions) {
    bytes.seek(positions);
    next = 0;
  }

  @Override
  public void read(int[] indexes, int n, long[] out) {
    int i = 0;
    while (i < n) {
      bytes.skip(indexes[i] - next);
      int from = indexes[i];
      int stop = Spans.stop(indexes, i, n, SPAN);
      next = indexes[stop - 1] + 1;
      bytes.read(next - from, span, 0);
      for (; i < stop; i++) {
        out[i] = span[indexes[i] - from];
      }
    }
  }
}
