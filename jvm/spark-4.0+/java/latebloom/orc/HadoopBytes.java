// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import latebloom.read.io.FileBytes;
import latebloom.read.io.FileTail;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.StreamCapabilities;

/** Reads a file through a Hadoop stream. */
record HadoopBytes(FSDataInputStream in, FileTail tail, boolean vectored) implements FileBytes {
  HadoopBytes(FSDataInputStream in, FileTail tail) {
    this(in, tail, in.hasCapability(StreamCapabilities.VECTOREDIO));
  }

  @Override
  public void readFully(long offset, byte[] into, int length) throws IOException {
    in.readFully(offset, into, 0, length);
  }

  @Override
  public boolean asynchronous() {
    return vectored;
  }

  @Override
  public List<CompletableFuture<ByteBuffer>> read(
      List<Range> ranges, IntFunction<ByteBuffer> allocate) throws IOException {
    List<FileRange> vector = new ArrayList<>(ranges.size());
    for (Range r : ranges) {
      vector.add(FileRange.createFileRange(r.offset(), r.length()));
    }
    in.readVectored(vector, allocate);
    return vector.stream().map(FileRange::getData).toList();
  }
}
