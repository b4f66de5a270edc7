// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.StreamCapabilities;

/** A stream that has vectored reads, where Hadoop has: that of this line has not. */
abstract class VectoredStream extends FSInputStream implements StreamCapabilities {

  /** Answers all of {@code wanted}, in other threads. */
  abstract void request(List<Wanted> wanted, IntFunction<ByteBuffer> allocate) throws IOException;

  @Override
  public boolean hasCapability(String capability) {
    return false;
  }
}
