// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

/**
 * Checks sums and products of sizes that a file claims. Callers compute them in {@code long}; one
 * check here returns the {@code int} length of an array or throws that the file is corrupt.
 */
public final class CheckedSizes {
  /** The longest array that every JVM allocates. */
  public static final int MOST = Integer.MAX_VALUE - 8;

  private CheckedSizes() {}

  /**
   * {@code bytes} as the length of an array.
   *
   * @param what needs the bytes, for the message
   */
  public static int ofArray(long bytes, String what) {
    if (bytes < 0 || bytes > MOST) {
      throw new CorruptPageException(what + " of " + bytes + " bytes");
    }
    return (int) bytes;
  }

  /** A capacity for {@code needed}, and for half as much again where an array can hold it. */
  static int grown(long needed, String what) {
    return Math.max(ofArray(needed, what), (int) Math.min(MOST, needed + needed / 2));
  }
}
