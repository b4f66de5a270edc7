// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.io.Requests.Request;

/**
 * Requests sent ahead for a row group, by offset, and their answers. All share one deadline: a
 * silent store delays the scan once, however many answers it owes.
 */
final class Prefetch {
  static final Prefetch NONE = new Prefetch(0);

  private final long deadline;
  private final NavigableMap<Long, Answer> answers = new TreeMap<>();

  private static final class Answer {
    final Request request;
    final CompletableFuture<ByteBuffer> promise;
    ByteBuffer bytes;

    Answer(Request request, CompletableFuture<ByteBuffer> promise) {
      this.request = request;
      this.promise = promise;
    }

    void deliver(WantedRange range, long deadline) throws IOException {
      if (bytes == null) {
        bytes = Requests.inArray(Requests.await(promise, request, deadline));
      }
      int skip = (int) (range.offset() - request.offset());
      int start = bytes.arrayOffset() + bytes.position() + skip;
      range.receiver().accept(bytes.array(), start, range.length());
    }
  }

  private Prefetch(long deadline) {
    this.deadline = deadline;
  }

  /** Sends the requests; returns before their answers. */
  static Prefetch send(FileBytes in, List<Request> requests) throws IOException {
    return send(in, requests, Requests.deadline());
  }

  /**
   * @param deadline for the answers, by {@link System#nanoTime}
   */
  static Prefetch send(FileBytes in, List<Request> requests, long deadline) throws IOException {
    List<CompletableFuture<ByteBuffer>> promises = Requests.ask(in, requests, ByteBuffer::allocate);
    Prefetch sent = new Prefetch(deadline);
    for (int i = 0; i < requests.size(); i++) {
      Request r = requests.get(i);
      sent.answers.put(r.offset(), new Answer(r, promises.get(i)));
    }
    return sent;
  }

  /**
   * Delivers a range to its receiver; waits for it.
   *
   * @return false if it was not requested, or not answered
   */
  boolean deliver(WantedRange range) throws IOException {
    Map.Entry<Long, Answer> before = answers.floorEntry(range.offset());
    if (before == null || range.end() > before.getValue().request.end()) {
      return false;
    }
    try {
      before.getValue().deliver(range, deadline);
      return true;
    } catch (IOException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw e;
      }
      answers.remove(before.getKey());
      return false;
    }
  }
}
