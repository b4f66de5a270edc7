// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

/**
 * Decodes version 2 of the integer run length encoding (ORC specification v1, "Integer Run Length
 * Encoding, version 2"): the first two bits of a run distinguish short repeat, direct, patched base
 * and delta.
 */
final class RunLengthV2 extends IntegerRunLength {
  /** Most bytes of a header with its base and first delta. */
  private static final int MOST_HEADER = 24;

  /** Bit width of a packed value, by its five-bit code. */
  private static final byte[] WIDTHS = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 28,
    30, 32, 40, 48, 56, 64
  };

  private enum Kind {
    SHORT_REPEAT,
    DIRECT,
    PATCHED_BASE,
    DELTA
  }

  private static final Kind[] KINDS = Kind.values();

  private Kind kind;
  private int count;
  private int width;

  /** The fields of the run's header other than its length. */
  private long first;

  private long delta;
  private int patchWidth;
  private int patches;
  private int patchBits;

  RunLengthV2(ByteFeed feed, boolean signed, int bits) {
    super(feed, signed, bits);
  }

  @Override
  protected int header() {
    feed.want(MOST_HEADER);
    int b = feed.next();
    kind = KINDS[b >>> 6];
    if (kind == Kind.SHORT_REPEAT) {
      count = (b & 7) + 3;
      long value = bigEndian((b >>> 3 & 7) + 1);
      first = signed ? unzigzag(value) : value;
      return count;
    }
    int code = b >>> 1 & 0x1f;
    width = WIDTHS[code];
    count = ((b & 1) << 8 | feed.next()) + 1;
    if (kind == Kind.DELTA) {
      width = code == 0 ? 0 : width;
      deltaHeader();
    } else if (kind == Kind.PATCHED_BASE) {
      patchedHeader();
    }
    return count;
  }

  private void deltaHeader() {
    long value = varlong();
    first = signed ? unzigzag(value) : value;
    delta = unzigzag(varlong());
    if (width > 0 && count < 2) {
      throw feed.corrupt("deltas of a single value");
    }
  }

  private void patchedHeader() {
    int third = feed.next();
    int fourth = feed.next();
    patchWidth = WIDTHS[third & 0x1f];
    patches = fourth & 0x1f;
    int gapWidth = (fourth >>> 5) + 1;
    if (patchWidth + gapWidth > Long.SIZE) {
      throw feed.corrupt("patches of " + patchWidth + " bits with gaps of " + gapWidth);
    }
    patchBits = closestWidth(patchWidth + gapWidth);
    int baseBytes = (third >>> 5) + 1;
    long base = bigEndian(baseBytes);
    long sign = 1L << 8 * baseBytes - 1;
    first = (base & sign) != 0 ? -(base & ~sign) : base;
  }

  private static int closestWidth(int bits) {
    int i = Math.min(bits, 24) - 1;
    while (WIDTHS[i] < bits) {
      i++;
    }
    return WIDTHS[i];
  }

  private long bigEndian(int bytes) {
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      value = value << 8 | feed.next();
    }
    return value;
  }

  @Override
  protected void body(boolean wanted) {
    switch (kind) {
      case SHORT_REPEAT -> progression(first, 0);
      case DIRECT -> {
        int bytes = BigEndian.bytes(count, width);
        if (wanted) {
          packed(width, bytes);
        } else {
          feed.skip(bytes);
        }
      }
      case DELTA -> {
        if (width == 0) {
          progression(first, delta);
          return;
        }
        int bytes = BigEndian.bytes(count - 2, width);
        if (wanted) {
          feed.need(bytes);
          addUp();
        }
        feed.skip(bytes);
      }
      case PATCHED_BASE -> {
        int valueBytes = BigEndian.bytes(count, width);
        int bytes = valueBytes + BigEndian.bytes(patches, patchBits);
        if (wanted) {
          feed.need(bytes);
          BigEndian.unpack(feed.data(), feed.pos(), width, 0, count, listed, 0);
          patch(feed.pos() + valueBytes);
        }
        feed.skip(bytes);
      }
    }
  }

  private void addUp() {
    long[] values = listed;
    BigEndian.unpack(feed.data(), feed.pos(), width, 0, count - 2, values, 2);
    long value = first + delta;
    values[0] = first;
    values[1] = value;
    if (delta < 0) {
      for (int i = 2; i < count; i++) {
        value -= values[i];
        values[i] = value;
      }
    } else {
      for (int i = 2; i < count; i++) {
        value += values[i];
        values[i] = value;
      }
    }
  }

  /**
   * Adds high bits to the few values that exceed the packed width, then the base to all. As
   * orc-core does, ignores the patch list from an entry on that leads past the run, or nowhere.
   */
  private void patch(int listAt) {
    byte[] data = feed.data();
    long mask = (1L << patchWidth) - 1;
    long at = 0;
    long patched = -1;
    for (int i = 0; i < patches; i++) {
      long entry = BigEndian.at(data, listAt, patchBits, i);
      long gap = entry >>> patchWidth;
      long patch = entry & mask;
      at += gap;
      if (gap == 255 && patch == 0) {
        // This entry only extends the gap.
        continue;
      }
      if (at == patched || at < 0 || at >= count) {
        break;
      }
      listed[(int) at] |= patch << width;
      patched = at;
    }
    long[] values = listed;
    long base = first;
    int n = count;
    for (int i = 0; i < n; i++) {
      values[i] += base;
    }
  }
}
