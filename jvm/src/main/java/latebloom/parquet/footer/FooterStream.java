// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.footer;

import java.io.IOException;
import java.io.InputStream;
import latebloom.read.io.FileTail;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.SeekableInputStream;

/**
 * The file from which parquet-java reads its footer: the tail comes from memory, and bytes before
 * it, of a longer footer, from the file.
 */
final class FooterStream extends DelegatingSeekableInputStream {
  private final Source source;

  FooterStream(FileTail tail, SeekableInputStream in) {
    this(new Source(tail, in));
  }

  private FooterStream(Source source) {
    super(source);
    this.source = source;
  }

  @Override
  public long getPos() {
    return source.position;
  }

  @Override
  public void seek(long position) {
    source.position = position;
  }

  private static final class Source extends InputStream {
    private final FileTail tail;
    private final SeekableInputStream in;
    private long position;

    Source(FileTail tail, SeekableInputStream in) {
      this.tail = tail;
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int n;
      if (position >= tail.start()) {
        n = tail.read(position, into, offset, length);
      } else {
        in.seek(position);
        n = in.read(into, offset, (int) Math.min(length, tail.start() - position));
      }
      position += Math.max(n, 0);
      return n;
    }
  }
}
