// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/**
 * Local files in a store, under {@code faulty:}, in which every k-th request fails. A request is
 * the opening of a file, a status request, a read that does not continue where the last one ended,
 * a positioned read, or one range of a vectored read. The fault and the list of open streams are
 * shared by the whole process.
 */
public final class FaultyFileSystem extends RawLocalFileSystem {

  /** The fault of a failing request. */
  public enum Fault {
    /** It is an error. */
    FAIL,
    /** The file ends before the requested bytes. */
    TRUNCATE,
    /** The answer is late. */
    STALL,
    /** The answer does not come before the store is repaired. */
    HANG
  }

  private record Plan(Fault fault, long every, long latencyMillis) {}

  private static final Plan SOUND = new Plan(Fault.FAIL, 0, 0);
  private static final long STALL_MILLIS = 300;
  private static final long LOOK_MILLIS = 10;

  private static final AtomicLong REQUESTS = new AtomicLong();
  private static final AtomicLong FAULTS = new AtomicLong();
  private static final Set<FaultyStream> OPEN = ConcurrentHashMap.newKeySet();
  private static volatile Plan plan = SOUND;

  private static final ExecutorService STORE =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "faulty-store");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Breaks the store.
   *
   * @param every the k of every k-th request; 0 for none
   * @param latencyMillis wait of each request
   */
  public static void set(Fault fault, long every, long latencyMillis) {
    REQUESTS.set(0);
    plan = new Plan(fault, every, latencyMillis);
  }

  /** Repairs the store; hanging requests are answered. */
  public static void repair() {
    plan = SOUND;
  }

  /** Requests that failed since the process started. */
  public static long faults() {
    return FAULTS.get();
  }

  /** Streams that are still open. */
  public static int openStreams() {
    return OPEN.size();
  }

  @Override
  public URI getUri() {
    return URI.create("faulty:///");
  }

  @Override
  public String getScheme() {
    return "faulty";
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    request("opening " + path);
    return new FSDataInputStream(new FaultyStream(path, super.open(path, bufferSize)));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    request("the status of " + path);
    return super.getFileStatus(path);
  }

  /** False if the answer is to be truncated. */
  private static boolean request(String what) throws IOException {
    Plan now = plan;
    pause(now.latencyMillis);
    if (now.every == 0 || REQUESTS.incrementAndGet() % now.every != 0) {
      return true;
    }
    FAULTS.incrementAndGet();
    switch (now.fault) {
      case FAIL -> throw new IOException("the store fails on purpose: " + what);
      case STALL -> pause(STALL_MILLIS);
      case HANG -> {
        while (plan == now) {
          pause(LOOK_MILLIS);
        }
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted in the store").initCause(e);
    }
  }

  private static final class FaultyStream extends VectoredStream {
    private final Path path;
    private final FSDataInputStream local;
    // Position of the open response; -1 before the first request.
    private long streamed = -1;

    FaultyStream(Path path, FSDataInputStream local) {
      this.path = path;
      this.local = local;
      OPEN.add(this);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (local.getPos() != streamed && !FaultyFileSystem.request("reading " + path)) {
        return -1;
      }
      int read = local.read(into, offset, length);
      streamed = local.getPos();
      return read;
    }

    @Override
    public int read(long position, byte[] into, int offset, int length) throws IOException {
      return FaultyFileSystem.request("reading " + path)
          ? local.read(position, into, offset, length)
          : -1;
    }

    @Override
    public void readFully(long position, byte[] into, int offset, int length) throws IOException {
      if (!FaultyFileSystem.request("reading " + path)) {
        throw new EOFException("truncated on purpose: " + path);
      }
      local.readFully(position, into, offset, length);
    }

    @Override
    void request(List<Wanted> wanted, IntFunction<ByteBuffer> allocate) {
      for (Wanted range : wanted) {
        STORE.execute(
            () -> {
              try {
                range.data().complete(read(range, allocate));
              } catch (IOException | RuntimeException e) {
                range.data().completeExceptionally(e);
              }
            });
      }
    }

    private ByteBuffer read(Wanted range, IntFunction<ByteBuffer> allocate) throws IOException {
      boolean whole = FaultyFileSystem.request("reading " + path);
      byte[] bytes = new byte[whole ? range.length() : range.length() / 2];
      local.readFully(range.offset(), bytes, 0, bytes.length);
      return allocate.apply(range.length()).put(bytes).flip();
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
      OPEN.remove(this);
      local.close();
    }
  }
}
