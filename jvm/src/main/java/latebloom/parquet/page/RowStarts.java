// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page;

import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.encoding.CorruptPageException;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;

/**
 * Counts the rows that begin on a page of a repeated column, by its repetition levels: a reader
 * that finds a page by the offset index attributes its entries to the rows that the index lists
 * there.
 */
final class RowStarts {
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
      Bytes levels = parts.unframed(chunk.descriptor).repetition();
      int count = ColumnChunk.valueCount(header);
      if (count < 0 || count > chunk.meta.getValueCount()) {
        throw new CorruptPageException(
            count + " levels in a column chunk of " + chunk.meta.getValueCount());
      }
      int most = chunk.descriptor.getMaxRepetitionLevel();
      if (count > 0 && PageRuns.count(levels, most, 1, 0) == 0) {
        throw new CorruptPageException("it begins within a row");
      }
      int found = PageRuns.count(levels, most, count, 0);
      if (found != rows) {
        throw new CorruptPageException(found + " rows, where the offset index has " + rows);
      }
    } catch (CorruptPageException | IndexOutOfBoundsException e) {
      throw chunk.place.corrupt(page, e);
    }
  }
}
