// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/** One open file, read by ranges. */
public interface FileBytes {

  /** Reads {@code length} bytes from {@code offset} on to the front of {@code into}. */
  void readFully(long offset, byte[] into, int length) throws IOException;

  /** The part of the file that is in memory. */
  default FileTail tail() {
    return FileTail.NONE;
  }

  /** Whether it accepts several ranges at once. */
  boolean vectored();

  /** Whether {@link #read} returns before the answers arrive. */
  boolean asynchronous();

  /**
   * Requests several ranges at once; returns their answers in the same order. Further requests may
   * follow meanwhile, as Hadoop requires of its streams.
   *
   * @param allocate creates heap buffers of a given size, on any thread
   */
  List<CompletableFuture<ByteBuffer>> read(List<Range> ranges, IntFunction<ByteBuffer> allocate)
      throws IOException;

  /** The bytes {@code [offset, offset + length)} of the file. */
  record Range(long offset, int length) {}
}
