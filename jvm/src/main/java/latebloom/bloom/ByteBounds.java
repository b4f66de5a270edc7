// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.Arrays;
import java.util.Optional;

/**
 * An interval that holds every string that was added, ordered by unsigned bytes. Strings of up to
 * 64 bytes are kept whole. A longer least one is cut there, which is below it; a longer greatest
 * one is cut and its last byte raised, which is above it, and if none can be raised there is no
 * upper bound.
 */
final class ByteBounds {
  static final int MOST = 64;

  private byte[] min;
  private byte[] max;
  private boolean any;

  ByteBounds() {}

  /** As they were. Both are null where nothing was added. */
  ByteBounds(boolean any, byte[] min, byte[] max) {
    this.any = any;
    this.min = min;
    this.max = max;
  }

  boolean any() {
    return any;
  }

  /** Nothing if nothing was added. */
  Optional<byte[]> min() {
    return Optional.ofNullable(min);
  }

  /** Nothing if nothing was added, or if there is no upper bound. */
  Optional<byte[]> max() {
    return Optional.ofNullable(max);
  }

  void add(byte[] data, int offset, int length) {
    int end = offset + length;
    if (!any || Arrays.compareUnsigned(data, offset, end, min, 0, min.length) < 0) {
      min = Arrays.copyOfRange(data, offset, offset + Math.min(length, MOST));
    }
    if (!any || max != null && Arrays.compareUnsigned(data, offset, end, max, 0, max.length) > 0) {
      max = above(data, offset, length);
    }
    any = true;
  }

  void add(ByteBounds that) {
    if (!any || that.any && Arrays.compareUnsigned(that.min, min) < 0) {
      min = that.min;
    }
    if (!any) {
      max = that.max;
    } else if (that.any && max != null) {
      max = that.max == null || Arrays.compareUnsigned(that.max, max) > 0 ? that.max : max;
    }
    any |= that.any;
  }

  private static byte[] above(byte[] data, int offset, int length) {
    if (length <= MOST) {
      return Arrays.copyOfRange(data, offset, offset + length);
    }
    int kept = MOST;
    while (kept > 0 && data[offset + kept - 1] == -1) {
      kept--;
    }
    if (kept == 0) {
      return null;
    }
    byte[] above = Arrays.copyOfRange(data, offset, offset + kept);
    above[kept - 1]++;
    return above;
  }
}
