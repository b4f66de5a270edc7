// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import latebloom.read.Counter;
import latebloom.read.Counters;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.ParquetFileRange;
import org.apache.parquet.io.SeekableInputStream;

/**
 * Fetches byte ranges of one file. Ranges that lie close together become one request; several
 * requests go out together where the file system can (vectored reads).
 */
final class RangeFetcher {
  /** Merging stops here, so that one array never grows past it unless a single range is larger. */
  private static final int MAX_MERGED = 32 << 20;

  private final SeekableInputStream in;
  private final long fileLength;
  private final long mergeGap;
  private final boolean vectored;
  private final Counters counters;

  /**
   * @param in the open file; not owned
   * @param mergeGap ranges at most this many bytes apart are fetched as one
   * @param vectored whether vectored reads may be used
   */
  RangeFetcher(
      SeekableInputStream in, long fileLength, long mergeGap, boolean vectored, Counters counters) {
    this.in = in;
    this.fileLength = fileLength;
    this.mergeGap = mergeGap;
    this.vectored = vectored && in.readVectoredAvailable(new HeapByteBufferAllocator());
    this.counters = counters;
  }

  /** A range of the file and who wants it. */
  record Wanted(long offset, int length, Consumer<Bytes> receiver) {
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
        w.receiver.accept(new Bytes(array, start + (int) (w.offset - offset), w.length));
      }
    }
  }

  /** Fetches every range and hands it to its receiver. */
  void fetch(List<Wanted> ranges) throws IOException {
    if (ranges.isEmpty()) {
      return;
    }
    long start = System.nanoTime();
    List<Request> requests = merge(ranges);
    if (vectored && requests.size() > 1) {
      fetchVectored(requests);
    } else {
      for (Request r : requests) {
        byte[] bytes = new byte[r.length()];
        in.seek(r.offset);
        in.readFully(bytes);
        r.deliver(bytes, 0);
      }
    }
    counters.add(Counter.REQUESTS, requests.size());
    for (Request r : requests) {
      counters.add(Counter.BYTES_FETCHED, r.length());
    }
    counters.add(Counter.FETCH_TIME, System.nanoTime() - start);
  }

  private List<Request> merge(List<Wanted> ranges) throws IOException {
    List<Wanted> sorted = new ArrayList<>(ranges);
    sorted.sort(Comparator.comparingLong(Wanted::offset));
    List<Request> requests = new ArrayList<>();
    List<Wanted> parts = new ArrayList<>();
    long from = 0;
    long to = 0;
    for (Wanted w : sorted) {
      if (w.offset < 0 || w.length < 0 || w.end() > fileLength) {
        throw new EOFException(
            "the footer or an index places data at bytes " + w.offset + " to " + w.end()
                + " of a file of " + fileLength + " bytes: the file is truncated or corrupt");
      }
      boolean joins = w.offset - to <= mergeGap && w.end() - from <= MAX_MERGED || w.end() <= to;
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
    List<ParquetFileRange> vector = new ArrayList<>(requests.size());
    for (Request r : requests) {
      vector.add(new ParquetFileRange(r.offset, r.length()));
    }
    in.readVectored(vector, new HeapByteBufferAllocator());
    for (int i = 0; i < requests.size(); i++) {
      Request r = requests.get(i);
      ByteBuffer b = await(vector.get(i), r);
      if (b.hasArray()) {
        r.deliver(b.array(), b.arrayOffset() + b.position());
      } else {
        byte[] bytes = new byte[r.length()];
        b.get(bytes);
        r.deliver(bytes, 0);
      }
    }
  }

  private static ByteBuffer await(ParquetFileRange range, Request r) throws IOException {
    try {
      ByteBuffer b =
          range
              .getDataReadFuture()
              .get(ParquetFileReader.HADOOP_VECTORED_READ_TIMEOUT_SECONDS, TimeUnit.SECONDS);
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
          "no answer within " + ParquetFileReader.HADOOP_VECTORED_READ_TIMEOUT_SECONDS
              + " s for " + r.length() + " bytes at offset " + r.offset,
          e);
    }
  }
}
