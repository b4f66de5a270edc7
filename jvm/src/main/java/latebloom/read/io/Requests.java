// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.task.RunningTask;

/** Sends requests to a file and delivers the answers. */
final class Requests {
  private static final int TIMEOUT_SECONDS = 300;

  /** How often a waiting thread checks whether the task was killed. */
  private static final int POLL_MILLIS = 50;

  private Requests() {}

  /** Deadline for the answers to requests sent now, by {@link System#nanoTime}. */
  static long deadline() {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
  }

  /** Ranges fetched by one request: {@code [offset, end)} covers each of {@code parts}. */
  record Request(long offset, long end, List<WantedRange> parts) {
    int length() {
      return (int) (end - offset);
    }

    void deliver(byte[] array, int start) {
      for (WantedRange w : parts) {
        w.receiver().accept(array, start + (int) (w.offset() - offset), w.length());
      }
    }
  }

  /**
   * Sends all requests, at once if the file can, and delivers the answers; ends when the task is
   * killed.
   */
  static void send(FileBytes in, List<Request> requests, StoreSpeed speed, FetchArrays arrays)
      throws IOException {
    if (requests.size() > 1 && in.vectored()) {
      long sent = System.nanoTime();
      long bytes = vectored(in, requests, arrays);
      speed.observe(bytes, System.nanoTime() - sent);
      return;
    }
    for (Request r : requests) {
      RunningTask.checkNotKilled();
      long sent = System.nanoTime();
      byte[] array = arrays.take(r.length());
      in.readFully(r.offset, array, r.length());
      speed.observe(r.length(), System.nanoTime() - sent);
      r.deliver(array, 0);
    }
  }

  private static long vectored(FileBytes in, List<Request> requests, FetchArrays arrays)
      throws IOException {
    RunningTask.checkNotKilled();
    List<CompletableFuture<ByteBuffer>> answers =
        ask(in, requests, size -> ByteBuffer.wrap(arrays.take(size), 0, size).slice());
    long read = 0;
    for (int i = 0; i < requests.size(); i++) {
      Request r = requests.get(i);
      // A store that answers, however slowly, gets a new deadline for the next answer.
      ByteBuffer b = inArray(await(answers.get(i), r, deadline()));
      read += r.length();
      r.deliver(b.array(), b.arrayOffset() + b.position());
    }
    return read;
  }

  /** Sends requests to a file, in order. */
  static List<CompletableFuture<ByteBuffer>> ask(
      FileBytes in, List<Request> requests, IntFunction<ByteBuffer> allocate) throws IOException {
    List<FileBytes.Range> ranges = new ArrayList<>(requests.size());
    for (Request r : requests) {
      ranges.add(new FileBytes.Range(r.offset, r.length()));
    }
    return in.read(ranges, allocate);
  }

  /** The same bytes in a buffer backed by an array. */
  static ByteBuffer inArray(ByteBuffer buffer) {
    if (buffer.hasArray()) {
      return buffer;
    }
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return ByteBuffer.wrap(bytes);
  }

  /**
   * Waits for the answer to a request; ends when the task is killed.
   *
   * @param deadline by {@link System#nanoTime}; an answer that has arrived by then is accepted
   */
  static ByteBuffer await(CompletableFuture<ByteBuffer> answer, Request r, long deadline)
      throws IOException {
    try {
      ByteBuffer b = poll(answer, deadline);
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
          "no answer within "
              + TIMEOUT_SECONDS
              + " s for "
              + r.length()
              + " bytes at offset "
              + r.offset,
          e);
    }
  }

  private static ByteBuffer poll(CompletableFuture<ByteBuffer> answer, long deadline)
      throws InterruptedException, ExecutionException, TimeoutException {
    while (true) {
      try {
        return answer.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
        RunningTask.checkNotKilled();
      }
    }
  }
}
