// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

/**
 * Decodes version 1 of the integer run length encoding, in files of writers before Hive 0.12 (ORC
 * specification v0, "Run length encoding"): a run of 3 to 130 values with a fixed difference, or up
 * to 128 literals.
 */
final class RunLengthV1 extends IntegerRunLength {
  private static final int LEAST_RUN = 3;

  /** Most bytes of a run's header, its difference and its first value. */
  private static final int MOST_HEADER = 12;

  private static final int MOST_NUMBER = 10;

  private int count;
  private boolean repeats;
  private int delta;
  private long first;

  RunLengthV1(ByteFeed feed, boolean signed, int bits) {
    super(feed, signed, bits);
  }

  @Override
  protected int header() {
    feed.want(MOST_HEADER);
    int control = feed.next();
    repeats = control < 0x80;
    if (repeats) {
      count = control + LEAST_RUN;
      delta = (byte) feed.next();
      first = number();
    } else {
      count = 0x100 - control;
    }
    return count;
  }

  @Override
  protected void body(boolean wanted) {
    if (repeats) {
      progression(first, delta);
      return;
    }
    feed.want(count * MOST_NUMBER);
    for (int i = 0; i < count; i++) {
      listed[i] = number();
    }
  }

  private long number() {
    long value = varlong();
    return signed ? unzigzag(value) : value;
  }
}
