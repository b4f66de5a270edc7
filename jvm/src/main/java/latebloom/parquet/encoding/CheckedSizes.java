// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

/**
 * Sums and products of what a file claims: made in {@code long}, and here, once, either an {@code
 * int} that is the length of an array or the error that the file is corrupt.
 */
public final class CheckedSizes {
  /** The longest array that every JVM allocates. */
  public static final int MOST = Integer.MAX_VALUE - 8;

  private CheckedSizes() {}

  /**
   * {@code bytes} as the length of an array.
   *
   * @param what has so many bytes, for the message
   */
  public static int ofArray(long bytes, String what) {
    if (bytes < 0 || bytes > MOST) {
      throw new CorruptPageException(what + " of " + bytes + " bytes");
    }
    return (int) bytes;
  }

  /** A capacity that has room for {@code needed}, and for half as much again if there may be. */
  static int grown(long needed, String what) {
    return Math.max(ofArray(needed, what), (int) Math.min(MOST, needed + needed / 2));
  }
}
