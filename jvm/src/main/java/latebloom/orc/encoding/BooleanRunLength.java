// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import org.apache.orc.impl.PositionProvider;

/**
 * A cursor over bits, eight to a byte, highest first, in runs of bytes (ORC specification v1,
 * "Boolean Run Length Encoding").
 */
public final class BooleanRunLength implements Positioned {
  private final ByteRunLength bytes;

  /** The current byte, and how many of its bits are consumed; 0 when there is none. */
  private byte begun;

  private int passed;
  private byte[] block = new byte[0];

  public BooleanRunLength(ByteFeed feed) {
    this.bytes = new ByteRunLength(feed);
  }

  @Override
  public void seek(PositionProvider positions) {
    bytes.seek(positions);
    long bits = positions.getNext();
    if (bits < 0 || bits > Byte.SIZE) {
      throw bytes.feed.corrupt("a position of " + bits + " bits in a byte");
    }
    passed = 0;
    skip((int) bits);
  }

  void skip(int n) {
    long to = passed + (long) n;
    long whole = to >>> 3;
    if (whole > 0 || passed == 0) {
      bytes.skip(passed > 0 ? whole - 1 : whole);
      passed = (int) to & 7;
      begin();
    } else {
      passed = (int) to;
    }
  }

  /** Reads a byte, some bits of which are already consumed. */
  private void begin() {
    if (passed > 0) {
      grow(1);
      bytes.read(1, block, 0);
      begun = block[0];
    }
  }

  /** Writes the next {@code n} bits to {@code words}, from the lowest of the first on. */
  public void read(int n, long[] words) {
    if (n == 0) {
      return;
    }
    int end = passed + n;
    int length = (end + 7) >>> 3;
    grow(length);
    int held = passed > 0 ? 1 : 0;
    block[0] = begun;
    bytes.read(length - held, block, held);
    int last = (n - 1) >>> 6;
    for (int w = 0; w <= last; w++) {
      long bits = BigEndian.longAt(block, w << 3) << passed;
      if (passed > 0) {
        bits |= (block[(w << 3) + 8] & 0xff) >>> 8 - passed;
      }
      words[w] = Long.reverse(bits);
    }
    words[last] &= -1L >>> -n;
    passed = end & 7;
    begun = block[length - 1];
  }

  private void grow(int length) {
    if (block.length < length + 9) {
      block = new byte[length + 9];
    }
  }
}
