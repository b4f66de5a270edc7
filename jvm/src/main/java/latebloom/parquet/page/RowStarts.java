// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page;

import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.encoding.RleBitPackingHybridDecoder;
import latebloom.read.task.RunningTask;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;

/**
 * Counts the rows that begin on a page of a repeated column, by its repetition levels: a reader
 * that finds a page by the offset index attributes its entries to the rows that the index lists
 * there.
 */
final class RowStarts {
  private static final int BLOCK = 64;

  private RowStarts() {}

  /** Throws unless exactly {@code rows} rows begin on a page, and its first entry begins a row. */
  static void check(ColumnChunk chunk, int page, PageReader.Parts parts, int rows) {
    try {
      PageHeader header = chunk.header(page);
      boolean first = header.getType() == PageType.DATA_PAGE;
      if (first && header.getData_page_header().getRepetition_level_encoding() != Encoding.RLE) {
        // Spark's reader refuses these with its own message.
        return;
      }
      Bytes levels =
          first
              ? parts.values().slice(Integer.BYTES, parts.values().framedLength())
              : parts.repetition();
      int count = ColumnChunk.valueCount(header);
      if (count < 0 || count > chunk.meta.getValueCount()) {
        throw new CorruptPageException(
            count + " levels in a column chunk of " + chunk.meta.getValueCount());
      }
      int width =
          Integer.SIZE - Integer.numberOfLeadingZeros(chunk.descriptor.getMaxRepetitionLevel());
      RleBitPackingHybridDecoder decoder =
          new RleBitPackingHybridDecoder(levels.array(), levels.start(), levels.end(), width);
      int found = count(decoder, count);
      if (found != rows) {
        throw new CorruptPageException(found + " rows, where the offset index has " + rows);
      }
    } catch (CorruptPageException | IndexOutOfBoundsException e) {
      throw chunk.place.corrupt(page, e);
    }
  }

  private static int count(RleBitPackingHybridDecoder levels, int n) {
    int starts = 0;
    int[] block = new int[BLOCK];
    for (int at = 0; at < n; ) {
      RunningTask.checkNotKilled();
      int end = Math.min(levels.runEnd(at), n);
      long shared = levels.shared(at, end - 1);
      if (shared < 0) {
        end = Math.min(end, at + BLOCK);
        levels.readRange(at, end - at, block);
      }
      if (at == 0 && (shared < 0 ? block[0] : shared) != 0) {
        throw new CorruptPageException("it begins within a row");
      }
      if (shared == 0) {
        starts += end - at;
      } else if (shared < 0) {
        for (int i = 0; i < end - at; i++) {
          starts += block[i] == 0 ? 1 : 0;
        }
      }
      at = end;
    }
    return starts;
  }
}
