// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.Seekable;
import org.apache.parquet.io.SeekableInputStream;

/**
 * A file system that sends no request to a store. The readers of these lines accept only a path;
 * this file system answers it with a file that is already open.
 */
public final class KnownFiles extends RawLocalFileSystem {
  /** The stream that this thread's next open returns; null for a file that is not read. */
  private static final ThreadLocal<SeekableInputStream> NEXT = new ThreadLocal<>();

  /** Opens a file by its path. */
  interface Opening<T> {
    T open() throws IOException, InterruptedException;
  }

  /**
   * Runs {@code opening}, which finds {@code path} in this file system.
   *
   * @param conf the configuration that {@code opening} uses; changed to name this file system
   * @param in the stream that {@code opening} gets and closes; null if it reads nothing
   */
  static <T> T open(Configuration conf, Path path, SeekableInputStream in, Opening<T> opening)
      throws IOException, InterruptedException {
    String name = "fs." + path.toUri().getScheme() + ".impl";
    conf.setBoolean(name + ".disable.cache", true);
    conf.setClassLoader(KnownFiles.class.getClassLoader());
    conf.set(name, KnownFiles.class.getName());
    NEXT.set(in);
    try {
      return opening.open();
    } finally {
      NEXT.remove();
    }
  }

  @Override
  public FileStatus getFileStatus(Path path) {
    return new FileStatus(0, false, 1, 1, 0, path);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) {
    return new FSDataInputStream(new Opened(NEXT.get()));
  }

  /** Accepts paths of every scheme. */
  @Override
  protected void checkPath(Path path) {}

  /** A stream that is already open. */
  private static final class Opened extends InputStream implements Seekable, PositionedReadable {
    private final SeekableInputStream in;

    Opened(SeekableInputStream in) {
      this.in = in;
    }

    private SeekableInputStream in() throws IOException {
      if (in == null) {
        throw new IOException("this reader is fed with pages and must not read");
      }
      return in;
    }

    @Override
    public int read() throws IOException {
      return in().read();
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      return in().read(into, offset, length);
    }

    @Override
    public void seek(long position) throws IOException {
      in().seek(position);
    }

    @Override
    public long getPos() throws IOException {
      return in == null ? 0 : in.getPos();
    }

    @Override
    public boolean seekToNewSource(long position) {
      return false;
    }

    @Override
    public int read(long position, byte[] into, int offset, int length) throws IOException {
      long before = in().getPos();
      try {
        in.seek(position);
        return in.read(into, offset, length);
      } finally {
        in.seek(before);
      }
    }

    @Override
    public void readFully(long position, byte[] into, int offset, int length) throws IOException {
      long before = in().getPos();
      try {
        in.seek(position);
        in.readFully(into, offset, length);
      } finally {
        in.seek(before);
      }
    }

    @Override
    public void readFully(long position, byte[] into) throws IOException {
      readFully(position, into, 0, into.length);
    }

    @Override
    public void close() throws IOException {
      if (in != null) {
        in.close();
      }
    }
  }
}
