// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.io.IOException;
import latebloom.read.io.RangeFetcher.WantedRange;

/**
 * The last bytes of a file, fetched in one request. They contain the footer and, in most formats,
 * the indexes before it, which then cost no request of their own. Immutable.
 */
public final class FileTail {
  public static final FileTail NONE = new FileTail(Long.MAX_VALUE, new byte[0]);

  private static final long LEAST = 16 << 10;
  private static final long MOST = 512 << 10;

  /** The share of a round trip's time that reading the bytes may take. */
  private static final int PART = 8;

  private final long start;
  private final byte[] bytes;

  private FileTail(long start, byte[] bytes) {
    this.start = start;
    this.bytes = bytes;
  }

  /**
   * Fetches as many bytes as take hardly longer than fewer.
   *
   * @param speed of the file's store; records the time of the fetch
   */
  public static FileTail read(FileBytes in, long fileLength, StoreSpeed speed) throws IOException {
    long wished = Math.min(MOST, Math.max(LEAST, speed.roundTripBytes() / PART));
    byte[] bytes = new byte[(int) Math.min(fileLength, wished)];
    long sent = System.nanoTime();
    in.readFully(fileLength - bytes.length, bytes, bytes.length);
    speed.observe(bytes.length, System.nanoTime() - sent);
    return new FileTail(fileLength - bytes.length, bytes);
  }

  /** Offset of its start in the file; it ends with the file. */
  public long start() {
    return start;
  }

  /** Whether it has all of a range. */
  boolean has(WantedRange range) {
    return range.offset() >= start && range.length() >= 0 && range.end() <= start + bytes.length;
  }

  /**
   * Delivers a range to its receiver.
   *
   * @return false if it lacks a part of it
   */
  boolean deliver(WantedRange range) {
    if (!has(range)) {
      return false;
    }
    range.receiver().accept(bytes, (int) (range.offset() - start), range.length());
    return true;
  }

  /**
   * Copies bytes from {@code position}, which it has, on; at most {@code length}, -1 at the end.
   */
  public int read(long position, byte[] into, int offset, int length) {
    long from = position - start;
    int n = (int) Math.min(length, bytes.length - from);
    if (n <= 0) {
      return length == 0 ? 0 : -1;
    }
    System.arraycopy(bytes, (int) from, into, offset, n);
    return n;
  }
}
