// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.StreamCapabilities;

/** A stream that has vectored reads, where Hadoop has. */
abstract class VectoredStream extends FSInputStream implements StreamCapabilities {

  /** Answers all of {@code wanted}, in other threads. */
  abstract void request(List<Wanted> wanted, IntFunction<ByteBuffer> allocate) throws IOException;

  @Override
  public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate)
      throws IOException {
    ranges.forEach(range -> range.setData(new CompletableFuture<>()));
    request(
        ranges.stream().map(r -> new Wanted(r.getOffset(), r.getLength(), r.getData())).toList(),
        allocate);
  }

  @Override
  public boolean hasCapability(String capability) {
    return capability.equals(StreamCapabilities.VECTOREDIO);
  }
}
