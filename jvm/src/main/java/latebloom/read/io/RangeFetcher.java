// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import latebloom.read.io.Requests.Request;
import latebloom.read.task.Counter;
import latebloom.read.task.Counters;
import latebloom.read.task.ScanMemory;

/**
 * Fetches byte ranges of one file. Merges ranges that lie close together into one request, sends
 * requests together where the file system can (vectored reads), and fetches the next row group's
 * first ranges ahead from a slow store.
 */
public final class RangeFetcher {
  /** Limit of a merged request, so that no array exceeds it unless a single range does. */
  private static final int MAX_MERGED = 32 << 20;

  private final FileBytes in;
  private final long fileLength;
  private final long mergeGap;
  private final StoreSpeed speed;
  private final ScanMemory memory;
  private final FetchArrays arrays = new FetchArrays(SpareArrays.SHARED);
  private final Counters counters;
  private Prefetch ahead = Prefetch.NONE;
  private Prefetch next = Prefetch.NONE;

  /**
   * @param in the open file; not owned
   * @param mergeGap merges ranges at most this many bytes apart; where requests can't go out
   *     together, also ranges so close that a request of their own would not be faster
   * @param speed of the file's store
   * @param memory accounts for fetched bytes
   */
  public RangeFetcher(
      FileBytes in,
      long fileLength,
      long mergeGap,
      StoreSpeed speed,
      ScanMemory memory,
      Counters counters) {
    this.in = in;
    this.fileLength = fileLength;
    this.mergeGap = mergeGap;
    this.speed = speed;
    this.memory = memory;
    this.counters = counters;
  }

  /** Receives the bytes {@code array[start, start + length)}, unchanged until {@link #released}. */
  @FunctionalInterface
  public interface Receiver {
    void accept(byte[] array, int start, int length);
  }

  /** A range of the file and its receiver. */
  public record WantedRange(long offset, int length, Receiver receiver) {
    long end() {
      return offset + length;
    }
  }

  /** Fetches ranges of metadata, which later scans need, too: indexes, footers of stripes. */
  public void fetchMetadata(List<WantedRange> ranges) throws IOException {
    fetch(ranges.stream().map(in.tail()::keeping).toList());
  }

  /** Fetches every range and delivers it to its receiver. */
  public void fetch(List<WantedRange> ranges) throws IOException {
    if (ranges.isEmpty()) {
      return;
    }
    long start = System.nanoTime();
    List<WantedRange> rest = new ArrayList<>();
    for (WantedRange range : ranges) {
      checkWithin(range);
      if (!in.tail().deliver(range) && !ahead.deliver(range)) {
        rest.add(range);
      }
    }
    if (!rest.isEmpty()) {
      List<Request> requests = merge(rest);
      count(requests);
      send(requests);
    }
    counters.add(Counter.FETCH_TIME, System.nanoTime() - start);
  }

  private void send(List<Request> requests) throws IOException {
    memory.hold(bytes(requests));
    boolean answered = false;
    arrays.begin();
    try {
      Requests.send(in, requests, speed, arrays);
      answered = true;
    } finally {
      arrays.end(answered);
    }
  }

  private void count(List<Request> requests) {
    counters.add(Counter.REQUESTS, requests.size());
    counters.add(Counter.BYTES_FETCHED, bytes(requests));
  }

  private static long bytes(List<Request> requests) {
    return requests.stream().mapToLong(Request::length).sum();
  }

  /** Whether {@link #prefetch} is possible and pays. */
  public boolean mayPrefetch() {
    return next == Prefetch.NONE && in.asynchronous() && speed.isSlow();
  }

  /**
   * Requests the next row group's first ranges, if there is memory, without waiting. Ignores
   * failures: {@link #fetch} tries again.
   */
  public void prefetch(List<WantedRange> ranges) {
    try {
      for (WantedRange range : ranges) {
        checkWithin(range);
      }
      List<WantedRange> missing = ranges.stream().filter(r -> !in.tail().has(r)).toList();
      if (missing.isEmpty()) {
        return;
      }
      List<Request> requests = merge(missing);
      if (memory.tryHoldAhead(bytes(requests))) {
        next = Prefetch.send(in, requests);
        count(requests);
        counters.add(Counter.ROW_GROUPS_PREFETCHED, 1);
      }
    } catch (IOException e) {
      next = Prefetch.NONE;
    }
  }

  /** Called when a row group is released and nobody reads its bytes any more. */
  public void released() {
    arrays.released();
    ahead = next;
    next = Prefetch.NONE;
    memory.releaseRowGroup();
  }

  /** How many unneeded bytes are worth fetching to save a request; 0 while unknown. */
  public long roundTripBytes() {
    return speed.roundTripBytes();
  }

  /** Length of the file in bytes. */
  public long fileLength() {
    return fileLength;
  }

  /** Checks that the range lies within the file; its end does not overflow from here on. */
  private void checkWithin(WantedRange w) throws EOFException {
    if (w.offset < 0 || w.length < 0 || w.offset > fileLength - w.length) {
      throw new EOFException(
          "the footer or an index places "
              + w.length
              + " bytes of data at byte "
              + w.offset
              + " of a file of "
              + fileLength
              + " bytes: the file is truncated or corrupt");
    }
  }

  private List<Request> merge(List<WantedRange> ranges) {
    List<WantedRange> sorted = new ArrayList<>(ranges);
    sorted.sort(Comparator.comparingLong(WantedRange::offset));
    List<Request> requests = new ArrayList<>();
    long gap = in.vectored() ? mergeGap : Math.max(mergeGap, roundTripBytes());
    List<WantedRange> parts = new ArrayList<>();
    long from = 0;
    long to = 0;
    for (WantedRange w : sorted) {
      boolean joins = w.offset - to <= gap && w.end() - from <= MAX_MERGED || w.end() <= to;
      if (parts.isEmpty() || !joins) {
        if (!parts.isEmpty()) {
          requests.add(new Request(from, to, parts));
          parts = new ArrayList<>();
        }
        from = w.offset;
        to = w.offset;
      }
      to = Math.max(to, w.end());
      parts.add(w);
    }
    requests.add(new Request(from, to, parts));
    return requests;
  }
}
