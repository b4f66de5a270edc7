// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import java.util.Arrays;
import org.apache.orc.impl.PositionProvider;

/** A cursor over bytes in runs (ORC specification v1, "Byte Run Length Encoding"). */
final class ByteRunLength implements Positioned {
  private static final int LEAST_RUN = 3;

  final ByteFeed feed;
  private int left;
  private boolean repeats;
  private byte value;

  ByteRunLength(ByteFeed feed) {
    this.feed = feed;
  }

  @Override
  public void seek(PositionProvider positions) {
    feed.seek(positions);
    left = 0;
    long passed = positions.getNext();
    if (passed < 0) {
      throw feed.corrupt("a position of " + passed + " bytes in a run");
    }
    skip(passed);
  }

  void skip(long n) {
    long rest = n;
    while (rest > 0) {
      int k = (int) Math.min(rest, run());
      if (!repeats) {
        feed.skip(k);
      }
      left -= k;
      rest -= k;
    }
  }

  /** Writes the next {@code n} bytes to {@code out}, from {@code at} on. */
  void read(int n, byte[] out, int at) {
    int done = 0;
    while (done < n) {
      int k = Math.min(n - done, run());
      if (repeats) {
        Arrays.fill(out, at + done, at + done + k, value);
      } else {
        feed.copy(k, out, at + done);
      }
      left -= k;
      done += k;
    }
  }

  /** How many bytes of the current run are left; at least one. */
  private int run() {
    if (left == 0) {
      feed.want(2);
      int control = feed.next();
      repeats = control < 0x80;
      left = repeats ? control + LEAST_RUN : 0x100 - control;
      if (repeats) {
        value = (byte) feed.next();
      }
    }
    return left;
  }
}
