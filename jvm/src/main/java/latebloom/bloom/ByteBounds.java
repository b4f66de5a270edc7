// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.Arrays;
import java.util.Optional;

/**
 * An interval that contains every added string, ordered by unsigned bytes. Bounds of up to 64 bytes
 * are exact. A longer minimum is truncated, which yields a lower bound; a longer maximum is
 * truncated and its last byte incremented, which yields an upper bound, unless no byte can be
 * incremented: then there is none.
 */
final class ByteBounds {
  static final int MOST = 64;

  private byte[] min;
  private byte[] max;
  private boolean any;

  ByteBounds() {}

  /** Restores bounds. Both are null if nothing was added. */
  ByteBounds(boolean any, byte[] min, byte[] max) {
    this.any = any;
    this.min = min;
    this.max = max;
  }

  boolean any() {
    return any;
  }

  /** The lower bound; empty if nothing was added. */
  Optional<byte[]> min() {
    return Optional.ofNullable(min);
  }

  /** The upper bound; empty if nothing was added, or if there is none. */
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
