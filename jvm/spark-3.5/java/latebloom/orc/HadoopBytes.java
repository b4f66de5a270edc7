// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import latebloom.read.io.FileBytes;
import latebloom.read.io.FileTail;
import org.apache.hadoop.fs.FSDataInputStream;

/** Reads a file through a Hadoop stream. The Hadoop of this line has no vectored reads. */
record HadoopBytes(FSDataInputStream in, FileTail tail) implements FileBytes {
  @Override
  public void readFully(long offset, byte[] into, int length) throws IOException {
    in.readFully(offset, into, 0, length);
  }

  @Override
  public boolean vectored() {
    return false;
  }

  @Override
  public boolean asynchronous() {
    return false;
  }

  @Override
  public List<CompletableFuture<ByteBuffer>> read(
      List<Range> ranges, IntFunction<ByteBuffer> allocate) {
    throw new UnsupportedOperationException("no vectored reads");
  }
}
