// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.nested;

import java.io.IOException;
import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.flat.FlatPage;
import latebloom.parquet.page.ColumnChunk;
import latebloom.parquet.page.PageReader;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;

/**
 * One decompressed page of a leaf of a list or map.
 *
 * @param levels positioned before the page's first
 * @param values the non-null values, as of a flat column
 * @param rows how many rows begin on it
 * @param continues whether its first entries belong to a row that began on an earlier page
 * @param endsInEntry whether such entries may follow on the next page
 */
record RepeatedPage(
    RepeatedLevels levels, FlatPage values, int rows, boolean continues, boolean endsInEntry) {

  /**
   * @param level definition level of a list or map that is not null
   */
  static RepeatedPage read(
      ColumnChunk chunk, int page, int level, PageReader reader, PageReader.Buffer into)
      throws IOException {
    PageHeader header = chunk.header(page);
    PageReader.Parts parts = reader.read(chunk, page, into);
    try {
      int count = levels(header, chunk.meta.getValueCount());
      if (parts.levelsFramed()) {
        DataPageHeader v1 = header.getData_page_header();
        FlatPage.checkRunLengthEncoded(v1);
        if (v1.getRepetition_level_encoding() != Encoding.RLE) {
          throw new CorruptPageException(
              "repetition levels in encoding " + v1.getRepetition_level_encoding());
        }
      }
      PageReader.Parts each = parts.unframed(chunk.descriptor);
      Bytes repetition = each.repetition();
      Bytes definition = each.definition();
      int max = chunk.descriptor.getMaxDefinitionLevel();
      // A first pass counts values: decoders check the page's length against the count.
      RepeatedLevels all = new RepeatedLevels(repetition, definition, count, level, max);
      boolean continues = all.next() && (all.starts & 1) == 0;
      while (all.next()) {}
      FlatPage flat =
          new FlatPage(
              page,
              all.valuesBefore,
              PageReader.encoding(header),
              each.values(),
              all.valuesBefore,
              null,
              into == null);
      return new RepeatedPage(
          new RepeatedLevels(repetition, definition, count, level, max),
          flat,
          all.rowsBefore,
          continues,
          all.endsInEntry());
    } catch (CorruptPageException | IndexOutOfBoundsException e) {
      throw chunk.place.corrupt(page, e);
    }
  }

  private static int levels(PageHeader header, long ofChunk) {
    int n = ColumnChunk.valueCount(header);
    if (n < 0 || n > ofChunk) {
      throw new CorruptPageException(n + " levels in a column chunk of " + ofChunk);
    }
    return n;
  }
}
