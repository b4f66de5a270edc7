// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Fetches byte ranges of one file. Ranges that lie close together become one request; several
 * requests go out together where the file system can (vectored reads).
 */
public final class RangeFetcher {
  /** Merging stops here, so that one array never grows past it unless a single range is larger. */
  private static final int MAX_MERGED = 32 << 20;

  private static final int TIMEOUT_SECONDS = 300;

  /** How often it is looked, while an answer is waited for, whether the task was killed. */
  private static final int POLL_MILLIS = 50;

  private final FileBytes in;
  private final long fileLength;
  private final long mergeGap;
  private final StoreSpeed speed;
  private final ScanMemory memory;
  private final Counters counters;

  /**
   * @param in the open file; not owned
   * @param mergeGap ranges at most this many bytes apart are fetched as one; where requests can't go
   *     out together, also those that a request of its own would not be faster for
   * @param speed of the file's store
   * @param memory told of what is fetched
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

  /** Takes the bytes {@code array[start, start + length)}, which nobody changes any more. */
  @FunctionalInterface
  public interface Receiver {
    void accept(byte[] array, int start, int length);
  }

  /** A range of the file and who wants it. */
  public record Wanted(long offset, int length, Receiver receiver) {
    long end() {
      return offset + length;
    }
  }

  /** Ranges that are fetched as one: {@code [offset, end)} covers each of {@code parts}. */
  private record Request(long offset, long end, List<Wanted> parts) {
    int length() {
      return (int) (end - offset);
    }

    void deliver(byte[] array, int start) {
      for (Wanted w : parts) {
        w.receiver.accept(array, start + (int) (w.offset - offset), w.length);
      }
    }
  }

  /** Fetches every range and hands it to its receiver. */
  public void fetch(List<Wanted> ranges) throws IOException {
    if (ranges.isEmpty()) {
      return;
    }
    long start = System.nanoTime();
    List<Request> requests = merge(ranges);
    long bytes = requests.stream().mapToLong(Request::length).sum();
    memory.hold(bytes);
    if (requests.size() > 1 && in.vectored()) {
      fetchVectored(requests);
      speed.observe(bytes, System.nanoTime() - start);
    } else {
      for (Request r : requests) {
        RunningTask.checkNotKilled();
        long sent = System.nanoTime();
        byte[] array = new byte[r.length()];
        in.readFully(r.offset, array);
        speed.observe(array.length, System.nanoTime() - sent);
        r.deliver(array, 0);
      }
    }
    counters.add(Counter.REQUESTS, requests.size());
    counters.add(Counter.BYTES_FETCHED, bytes);
    counters.add(Counter.FETCH_TIME, System.nanoTime() - start);
  }

  /** So many unneeded bytes are worth fetching to save a request; 0 while that is unknown. */
  public long roundTripBytes() {
    return speed.roundTripBytes();
  }

  private List<Request> merge(List<Wanted> ranges) throws IOException {
    List<Wanted> sorted = new ArrayList<>(ranges);
    sorted.sort(Comparator.comparingLong(Wanted::offset));
    List<Request> requests = new ArrayList<>();
    long gap = in.vectored() ? mergeGap : Math.max(mergeGap, roundTripBytes());
    List<Wanted> parts = new ArrayList<>();
    long from = 0;
    long to = 0;
    for (Wanted w : sorted) {
      if (w.offset < 0 || w.length < 0 || w.end() > fileLength) {
        throw new EOFException(
            "the footer or an index places data at bytes " + w.offset + " to " + w.end()
                + " of a file of " + fileLength + " bytes: the file is truncated or corrupt");
      }
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

  private void fetchVectored(List<Request> requests) throws IOException {
    List<FileBytes.Range> ranges = new ArrayList<>(requests.size());
    for (Request r : requests) {
      ranges.add(new FileBytes.Range(r.offset, r.length()));
    }
    List<CompletableFuture<ByteBuffer>> answers = in.read(ranges);
    for (int i = 0; i < requests.size(); i++) {
      Request r = requests.get(i);
      ByteBuffer b = await(answers.get(i), r);
      if (b.hasArray()) {
        r.deliver(b.array(), b.arrayOffset() + b.position());
      } else {
        byte[] bytes = new byte[r.length()];
        b.get(bytes);
        r.deliver(bytes, 0);
      }
    }
  }

  private static ByteBuffer await(CompletableFuture<ByteBuffer> answer, Request r)
      throws IOException {
    try {
      ByteBuffer b = poll(answer);
      if (b.remaining() < r.length()) {
        throw new EOFException(
            "read " + b.remaining() + " of " + r.length() + " bytes at offset " + r.offset);
      }
      return b;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while reading " + r.length() + " bytes at " + r.offset, e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw new IOException(
          "no answer within " + TIMEOUT_SECONDS + " s for " + r.length() + " bytes at offset " + r.offset,
          e);
    }
  }

  private static ByteBuffer poll(CompletableFuture<ByteBuffer> answer)
      throws InterruptedException, ExecutionException, TimeoutException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    while (true) {
      try {
        return answer.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
        RunningTask.checkNotKilled();
      }
    }
  }
}
