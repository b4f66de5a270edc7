// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import latebloom.read.io.RangeFetcher.WantedRange;

/**
 * The last bytes of a file, fetched in one request. They contain the footer and, in most formats,
 * the indexes before it, which then cost no request of their own. If several scans use it, it keeps
 * what is fetched later of the file's metadata. Thread safe.
 */
public final class FileTail {
  public static final FileTail NONE = new FileTail(Long.MAX_VALUE, new byte[0], false);

  private static final long LEAST = 16 << 10;
  private static final long MOST = 512 << 10;

  /** The share of a round trip's time that reading the bytes may take. */
  private static final int PART = 8;

  /** Most bytes to keep of the metadata of one file, beyond its end. */
  private static final long MOST_KEPT = 8 << 20;

  // Of an entry of the map, about.
  private static final long OF_RANGE = 80;

  private final long start;
  private final byte[] bytes;

  /** Ranges of metadata by their offset; null to keep none. */
  private final ConcurrentSkipListMap<Long, byte[]> kept;

  private final AtomicLong keptBytes = new AtomicLong();

  private FileTail(long start, byte[] bytes, boolean keeps) {
    this.start = start;
    this.bytes = bytes;
    this.kept = keeps ? new ConcurrentSkipListMap<>() : null;
  }

  /** Without the end of the file, for metadata that is fetched later. */
  public static FileTail keepingOnly() {
    return new FileTail(Long.MAX_VALUE, new byte[0], true);
  }

  /**
   * Fetches as many bytes as take hardly longer than fewer.
   *
   * @param speed of the file's store; records the time of the fetch
   * @param keeps whether to keep what is fetched later of the file's metadata
   */
  public static FileTail read(FileBytes in, long fileLength, StoreSpeed speed, boolean keeps)
      throws IOException {
    long wished = Math.min(MOST, Math.max(LEAST, speed.roundTripBytes() / PART));
    byte[] bytes = new byte[(int) Math.min(fileLength, wished)];
    long sent = System.nanoTime();
    in.readFully(fileLength - bytes.length, bytes, bytes.length);
    speed.observe(bytes.length, System.nanoTime() - sent);
    return new FileTail(fileLength - bytes.length, bytes, keeps);
  }

  /** Offset of its start in the file; it ends with the file. */
  public long start() {
    return start;
  }

  /** Bytes of heap. */
  public long heapBytes() {
    return bytes.length + keptBytes.get();
  }

  /** Whether it has all of a range. */
  boolean has(WantedRange range) {
    return isWithin(range) || keptFor(range) != null;
  }

  private boolean isWithin(WantedRange range) {
    return range.offset() >= start && range.length() >= 0 && range.end() <= start + bytes.length;
  }

  private Map.Entry<Long, byte[]> keptFor(WantedRange range) {
    Map.Entry<Long, byte[]> known = kept == null ? null : kept.floorEntry(range.offset());
    boolean has = known != null && range.end() <= known.getKey() + known.getValue().length;
    return has ? known : null;
  }

  /** The range, which is kept when it arrives. */
  WantedRange keeping(WantedRange range) {
    if (kept == null || range.length() <= 0 || has(range)) {
      return range;
    }
    return new WantedRange(
        range.offset(),
        range.length(),
        (array, from, length) -> {
          keep(range.offset(), Arrays.copyOfRange(array, from, from + length));
          range.receiver().accept(array, from, length);
        });
  }

  private void keep(long offset, byte[] range) {
    long more = range.length + OF_RANGE;
    if (keptBytes.get() + more <= MOST_KEPT && kept.putIfAbsent(offset, range) == null) {
      keptBytes.addAndGet(more);
    }
  }

  /**
   * Delivers a range to its receiver.
   *
   * @return false if it lacks a part of it
   */
  boolean deliver(WantedRange range) {
    if (isWithin(range)) {
      range.receiver().accept(bytes, (int) (range.offset() - start), range.length());
      return true;
    }
    Map.Entry<Long, byte[]> known = keptFor(range);
    if (known == null) {
      return false;
    }
    int from = (int) (range.offset() - known.getKey());
    range.receiver().accept(known.getValue(), from, range.length());
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
