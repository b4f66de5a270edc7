// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.footer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import latebloom.read.io.FileBytes;
import latebloom.read.io.FileTail;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.io.SeekableInputStream;

/**
 * Reads a Parquet file through the stream that parquet-java opened. The stream of this line has no
 * vectored reads.
 *
 * @param vectored always false in this line
 * @param tail the bytes that were read with the footer
 */
public record ParquetBytes(SeekableInputStream in, boolean vectored, FileTail tail)
    implements FileBytes {

  /** Whether vectored reads may be used: never in this line. */
  public static boolean mayBeVectored(ParquetReadOptions options) {
    return false;
  }

  @Override
  public void readFully(long offset, byte[] into, int length) throws IOException {
    in.seek(offset);
    in.readFully(into, 0, length);
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
