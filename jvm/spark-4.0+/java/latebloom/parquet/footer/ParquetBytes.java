// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.footer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import latebloom.read.io.FileBytes;
import latebloom.read.io.FileTail;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.bytes.ByteBufferAllocator;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.ParquetFileRange;
import org.apache.parquet.io.SeekableInputStream;

/**
 * Reads a Parquet file through the stream that parquet-java opened.
 *
 * @param vectored whether vectored reads may be used
 * @param tail the bytes that were read with the footer
 */
public record ParquetBytes(SeekableInputStream in, boolean vectored, FileTail tail)
    implements FileBytes {

  /** Whether vectored reads may be used. */
  public static boolean mayBeVectored(ParquetReadOptions options) {
    return options.useHadoopVectoredIo();
  }

  public ParquetBytes {
    vectored = vectored && in.readVectoredAvailable(new HeapByteBufferAllocator());
  }

  @Override
  public void readFully(long offset, byte[] into, int length) throws IOException {
    in.seek(offset);
    in.readFully(into, 0, length);
  }

  /** For a stream without vectored reads of its own, Hadoop reads one range after the other. */
  @Override
  public boolean asynchronous() {
    return vectored
        && in instanceof DelegatingSeekableInputStream hadoop
        && hadoop.getStream() instanceof StreamCapabilities stream
        && stream.hasCapability(StreamCapabilities.VECTOREDIO);
  }

  @Override
  public List<CompletableFuture<ByteBuffer>> read(
      List<Range> ranges, IntFunction<ByteBuffer> allocate) throws IOException {
    List<ParquetFileRange> vector = new ArrayList<>(ranges.size());
    for (Range r : ranges) {
      vector.add(new ParquetFileRange(r.offset(), r.length()));
    }
    in.readVectored(vector, new Allocator(allocate));
    return vector.stream().map(ParquetFileRange::getDataReadFuture).toList();
  }

  /** Allocates buffers that are never returned. */
  private record Allocator(IntFunction<ByteBuffer> allocate) implements ByteBufferAllocator {
    @Override
    public ByteBuffer allocate(int size) {
      return allocate.apply(size);
    }

    @Override
    public void release(ByteBuffer buffer) {}

    @Override
    public boolean isDirect() {
      return false;
    }
  }
}
