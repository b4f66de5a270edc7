// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import latebloom.orc.encoding.CorruptStreamException;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.task.RunningTask;
import org.apache.orc.OrcProto.Stream.Kind;
import org.apache.orc.impl.BufferChunk;
import org.apache.orc.impl.BufferChunkList;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.StreamName;
import org.apache.spark.TaskKilledException;

/**
 * One stream of one column in a stripe, and its fetched pieces.
 *
 * <pre>
 *   stream    | stride 0 | stride 1 | stride 2 | stride 3 |
 *   fetched   [ piece     ]         [ piece                ]
 * </pre>
 *
 * A piece begins with a stride and reaches into the next one as far as a run of values or a
 * compressed chunk may.
 */
final class StripeStream {
  final int column;
  final Kind kind;
  final int length;
  private final long claimed;
  private final long offset;

  /** The pieces by offset; they don't overlap. */
  private final TreeMap<Integer, Piece> pieces = new TreeMap<>();

  private long fetched;

  private static final class Piece {
    final int start;
    final int end;
    ByteBuffer bytes;

    Piece(int start, int end) {
      this.start = start;
      this.end = end;
    }
  }

  /**
   * @param offset of the stream in the file
   * @param claimed length, by the stripe's footer
   */
  StripeStream(int column, Kind kind, long offset, long claimed) {
    this.column = column;
    this.kind = kind;
    this.offset = offset;
    this.claimed = claimed;
    this.length = (int) Math.max(0, Math.min(claimed, Integer.MAX_VALUE));
  }

  /** How many of its bytes were requested. */
  long fetched() {
    return fetched;
  }

  /** Adds the unfetched ranges among the bytes {@code [from, to)} of the stream. */
  void want(int from, int to, List<WantedRange> ranges) {
    if (claimed != length) {
      throw new CorruptStreamException(kind, "it has " + claimed + " bytes", null);
    }
    List<Piece> fresh = new ArrayList<>();
    int at = from;
    Integer before = pieces.floorKey(from);
    for (Piece p : pieces.tailMap(before == null ? from : before).values()) {
      if (p.start >= to) {
        break;
      }
      if (p.start > at) {
        fresh.add(new Piece(at, p.start));
      }
      at = Math.max(at, p.end);
    }
    if (at < to) {
      fresh.add(new Piece(at, to));
    }
    for (Piece p : fresh) {
      pieces.put(p.start, p);
      fetched += p.end - p.start;
      ranges.add(
          new WantedRange(
              offset + p.start,
              p.end - p.start,
              (array, start, n) -> p.bytes = ByteBuffer.wrap(array, start, n).slice()));
    }
  }

  /**
   * The most bytes that the fetched pieces hold once they are decompressed. A piece may end within
   * a chunk.
   */
  long mostBytes(InStream.StreamOptions options) {
    if (!options.isCompressed()) {
      return fetched;
    }
    byte[] block = new byte[1 << 12];
    long bytes = 0;
    for (Piece p : pieces.values()) {
      long start = offset + p.start;
      BufferChunk chunk = new BufferChunk(p.bytes.duplicate(), start);
      try (InStream in =
          InStream.create(new StreamName(column, kind), chunk, start, p.end - p.start, options)) {
        int n;
        while ((n = in.read(block)) > 0) {
          RunningTask.checkNotKilled();
          bytes += n;
        }
      } catch (TaskKilledException e) {
        throw e;
      } catch (IOException | RuntimeException e) {
        bytes += options.getBufferSize();
      }
    }
    return bytes;
  }

  /** A cursor over the fetched pieces, decompressed. */
  InStream open(InStream.StreamOptions options) {
    BufferChunkList chunks = new BufferChunkList();
    for (Piece p : pieces.values()) {
      chunks.add(new BufferChunk(p.bytes.duplicate(), offset + p.start));
    }
    return InStream.create(new StreamName(column, kind), chunks.get(), offset, length, options);
  }
}
