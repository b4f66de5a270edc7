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
      if (!areRuns(chunk.header(page))) {
        return;
      }
      Bytes levels = parts.unframed(chunk.descriptor).repetition();
      int most = chunk.descriptor.getMaxRepetitionLevel();
      int count = levels(chunk, page);
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

  /** How many rows begin on a page. */
  static int count(ColumnChunk chunk, int page, PageReader.Parts parts) {
    try {
      return areRuns(chunk.header(page))
          ? PageRuns.count(
              parts.unframed(chunk.descriptor).repetition(),
              chunk.descriptor.getMaxRepetitionLevel(),
              levels(chunk, page),
              0)
          : 0;
    } catch (CorruptPageException | IndexOutOfBoundsException e) {
      throw chunk.place.corrupt(page, e);
    }
  }

  /** Whether the levels are of the encoding that Spark's reader accepts. */
  private static boolean areRuns(PageHeader header) {
    return header.getType() != PageType.DATA_PAGE
        || header.getData_page_header().getRepetition_level_encoding() == Encoding.RLE;
  }

  private static int levels(ColumnChunk chunk, int page) {
    int count = ColumnChunk.valueCount(chunk.header(page));
    if (count < 0 || count > chunk.meta.getValueCount()) {
      throw new CorruptPageException(
          count + " levels in a column chunk of " + chunk.meta.getValueCount());
    }
    return count;
  }
}
