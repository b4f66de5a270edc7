// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit;

import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/**
 * Local files behind the latency and the throughput of an object store, under {@code slow:}.
 *
 * <p>A request is one that a store would receive: a read that does not continue where the last one
 * ended, a positioned read, one range of a vectored read, a status request, a list of up to a
 * thousand files. Each waits {@code fs.slow.latencyMs} once; the ranges of one vectored read wait
 * together, as if sent at once. Bytes flow at {@code fs.slow.bytesPerSecond} for each stream, 0 for
 * no limit. Counts requests and bytes of each instance, and of all in the process.
 */
public final class SlowFileSystem extends RawLocalFileSystem {
  private static final AtomicLong REQUESTS = new AtomicLong();
  private static final AtomicLong BYTES = new AtomicLong();

  /** Most files that a store lists in one response. */
  private static final int OF_A_LIST = 1000;

  private static final ThreadLocal<Boolean> LISTING = ThreadLocal.withInitial(() -> false);

  private static final ExecutorService STORE =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "slow-store");
            thread.setDaemon(true);
            return thread;
          });

  private final AtomicLong ownRequests = new AtomicLong();
  private final AtomicLong ownBytes = new AtomicLong();
  private long latencyMillis;
  private long bytesPerSecond;

  /** Requests since the process started. */
  public static long requests() {
    return REQUESTS.get();
  }

  /** Bytes read since the process started. */
  public static long bytes() {
    return BYTES.get();
  }

  /** Requests to this instance. */
  public long ownRequests() {
    return ownRequests.get();
  }

  /** Bytes read from this instance. */
  public long ownBytes() {
    return ownBytes.get();
  }

  @Override
  public void initialize(URI uri, Configuration conf) throws IOException {
    super.initialize(uri, conf);
    latencyMillis = amount(conf, "fs.slow.latencyMs");
    bytesPerSecond = amount(conf, "fs.slow.bytesPerSecond");
  }

  private static long amount(Configuration conf, String key) throws IOException {
    String value = conf.getTrimmed(key, "0");
    try {
      long amount = Long.parseLong(value);
      if (amount >= 0) {
        return amount;
      }
    } catch (NumberFormatException e) {
      // The check below refuses it with its key.
    }
    throw new IOException(key + " = " + value + ": give a whole number from 0 up");
  }

  @Override
  public URI getUri() {
    return URI.create("slow:///");
  }

  @Override
  public String getScheme() {
    return "slow";
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return new FSDataInputStream(new SlowStream(super.open(path, bufferSize)));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    // The local file system asks for each file of a list.
    if (!LISTING.get()) {
      request(1, 0);
    }
    return super.getFileStatus(path);
  }

  @Override
  public FileStatus[] listStatus(Path directory) throws IOException {
    LISTING.set(true);
    FileStatus[] files;
    try {
      files = super.listStatus(directory);
    } finally {
      LISTING.remove();
    }
    for (int listed = 0; listed == 0 || listed < files.length; listed += OF_A_LIST) {
      request(1, 0);
    }
    return files;
  }

  private void request(int requests, long bytes) throws IOException {
    REQUESTS.addAndGet(requests);
    ownRequests.addAndGet(requests);
    pause(latencyMillis);
    transfer(bytes);
  }

  private void transfer(long bytes) throws IOException {
    BYTES.addAndGet(bytes);
    ownBytes.addAndGet(bytes);
    if (bytesPerSecond > 0) {
      pause(bytes * 1000 / bytesPerSecond);
    }
  }

  private static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for the slow store", e);
    }
  }

  private final class SlowStream extends VectoredStream {
    private final FSDataInputStream local;
    // Position of the open response; -1 before the first request.
    private long streamed = -1;

    SlowStream(FSDataInputStream local) {
      this.local = local;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (local.getPos() != streamed) {
        SlowFileSystem.this.request(1, 0);
      }
      int read = local.read(into, offset, length);
      transfer(Math.max(read, 0));
      streamed = local.getPos();
      return read;
    }

    @Override
    public int read(long position, byte[] into, int offset, int length) throws IOException {
      int read = local.read(position, into, offset, length);
      SlowFileSystem.this.request(1, Math.max(read, 0));
      return read;
    }

    @Override
    public void readFully(long position, byte[] into, int offset, int length) throws IOException {
      SlowFileSystem.this.request(1, length);
      local.readFully(position, into, offset, length);
    }

    @Override
    void request(List<Wanted> wanted, IntFunction<ByteBuffer> allocate) {
      long all = wanted.stream().mapToLong(Wanted::length).sum();
      STORE.execute(
          () -> {
            try {
              SlowFileSystem.this.request(wanted.size(), all);
              for (Wanted range : wanted) {
                range.data().complete(read(range, allocate));
              }
            } catch (IOException | RuntimeException e) {
              wanted.forEach(range -> range.data().completeExceptionally(e));
            }
          });
    }

    private ByteBuffer read(Wanted range, IntFunction<ByteBuffer> allocate) throws IOException {
      byte[] bytes = new byte[range.length()];
      local.readFully(range.offset(), bytes, 0, bytes.length);
      ByteBuffer buffer = allocate.apply(bytes.length);
      return buffer.put(bytes).flip();
    }

    @Override
    public void seek(long position) throws IOException {
      if (position < 0) {
        throw new EOFException("cannot seek to " + position);
      }
      local.seek(position);
    }

    @Override
    public long getPos() throws IOException {
      return local.getPos();
    }

    @Override
    public boolean seekToNewSource(long target) {
      return false;
    }

    @Override
    public void close() throws IOException {
      local.close();
    }
  }
}
