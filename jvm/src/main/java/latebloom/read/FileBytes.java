// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One open file, read by ranges. */
public interface FileBytes {

  /** Fills {@code into} with the bytes from {@code offset} on. */
  void readFully(long offset, byte[] into) throws IOException;

  /** Whether several ranges may be asked for at once. */
  boolean vectored();

  /** Whether {@link #read} returns before the answers are there. */
  boolean asynchronous();

  /**
   * Asks for several ranges at once; the answers come in their order. Meanwhile others may be asked
   * for, as Hadoop demands of its streams.
   */
  List<CompletableFuture<ByteBuffer>> read(List<Range> ranges) throws IOException;

  /** The bytes {@code [offset, offset + length)} of the file. */
  record Range(long offset, int length) {}
}
