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

/** Sends requests to a file and hands over what comes. */
final class Requests {
  private static final int TIMEOUT_SECONDS = 300;

  /** How often it is looked, while an answer is waited for, whether the task was killed. */
  private static final int POLL_MILLIS = 50;

  private Requests() {}

  /** When answers to what is sent now must have come, by {@link System#nanoTime}. */
  static long deadline() {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
  }

  /** Ranges that are fetched as one: {@code [offset, end)} covers each of {@code parts}. */
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
   * Sends all requests, at once if the file can, and hands over the answers; obeys a kill
   * meanwhile.
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
      // A store that answers, if slowly, has as long again for the next.
      ByteBuffer b = inArray(await(answers.get(i), r, deadline()));
      read += r.length();
      r.deliver(b.array(), b.arrayOffset() + b.position());
    }
    return read;
  }

  /** Asks a file for requests, in their order. */
  static List<CompletableFuture<ByteBuffer>> ask(
      FileBytes in, List<Request> requests, IntFunction<ByteBuffer> allocate) throws IOException {
    List<FileBytes.Range> ranges = new ArrayList<>(requests.size());
    for (Request r : requests) {
      ranges.add(new FileBytes.Range(r.offset, r.length()));
    }
    return in.read(ranges, allocate);
  }

  /** The same bytes in a buffer that has an array. */
  static ByteBuffer inArray(ByteBuffer buffer) {
    if (buffer.hasArray()) {
      return buffer;
    }
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return ByteBuffer.wrap(bytes);
  }

  /**
   * Waits for the answer to a request; obeys a kill meanwhile.
   *
   * @param deadline until when, by {@link System#nanoTime}; what has come by then is taken
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
