// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/** One open file, read by ranges. */
public interface FileBytes {

  /** Reads {@code length} bytes from {@code offset} on into the front of {@code into}. */
  void readFully(long offset, byte[] into, int length) throws IOException;

  /** What of the file is in memory. */
  default FileTail tail() {
    return FileTail.NONE;
  }

  /** Whether several ranges may be asked for at once. */
  boolean vectored();

  /** Whether {@link #read} returns before the answers are there. */
  boolean asynchronous();

  /**
   * Asks for several ranges at once; the answers come in their order. Meanwhile others may be asked
   * for, as Hadoop demands of its streams.
   *
   * @param allocate makes heap buffers of so many bytes, on whatever thread
   */
  List<CompletableFuture<ByteBuffer>> read(List<Range> ranges, IntFunction<ByteBuffer> allocate)
      throws IOException;

  /** The bytes {@code [offset, offset + length)} of the file. */
  record Range(long offset, int length) {}
}
