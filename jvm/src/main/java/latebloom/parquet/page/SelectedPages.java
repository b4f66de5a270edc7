// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.PrimitiveIterator;
import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.read.selection.Selection;
import latebloom.read.vector.BlockArrays;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/**
 * The pages of a few column chunks as input of Spark's column reader: only pages that hold selected
 * rows, and the row numbers, by which the reader skips the others.
 */
public final class SelectedPages implements PageReadStore {
  private final Map<ColumnPath, ColumnChunk> chunks;
  private final Selection rows;
  private final long rowGroupOffset;
  private final boolean exact;
  private final PageReader reader;

  /**
   * @param rowGroupOffset number in the file of the row group's first row; negative when unknown
   */
  public SelectedPages(
      Map<ColumnPath, ColumnChunk> chunks, Selection rows, long rowGroupOffset, PageReader reader) {
    this.chunks = chunks;
    this.rows = rows;
    this.rowGroupOffset = rowGroupOffset;
    this.reader = reader;
    this.exact = chunks.values().stream().allMatch(ColumnChunk::sparkSkipsRows);
  }

  /**
   * Whether the reader gets just the selected rows; else it gets all rows of the row group, because
   * the rows of a repeated column's page are unknown without reading it.
   */
  public boolean exact() {
    return exact;
  }

  @Override
  public long getRowCount() {
    return exact ? rows.count() : rows.rows();
  }

  @Override
  public Optional<Long> getRowIndexOffset() {
    return rowGroupOffset < 0 ? Optional.empty() : Optional.of(rowGroupOffset);
  }

  @Override
  public Optional<PrimitiveIterator.OfLong> getRowIndexes() {
    return exact && !rows.isAll() ? Optional.of(new RowIndexes(rows)) : Optional.empty();
  }

  private static final class RowIndexes implements PrimitiveIterator.OfLong {
    private final Selection rows;
    private final int[] block = new int[BlockArrays.BLOCK];
    private int at;
    private int n;
    private int from;

    RowIndexes(Selection rows) {
      this.rows = rows;
    }

    @Override
    public boolean hasNext() {
      if (at == n) {
        n = rows.positions(from, rows.rows(), block.length, block);
        at = 0;
        from = n == 0 ? rows.rows() : block[n - 1] + 1;
      }
      return at < n;
    }

    @Override
    public long nextLong() {
      if (!hasNext()) {
        throw new java.util.NoSuchElementException();
      }
      return block[at++];
    }
  }

  @Override
  public org.apache.parquet.column.page.PageReader getPageReader(ColumnDescriptor descriptor) {
    return new Leaf(chunks.get(ColumnPath.get(descriptor.getPath())));
  }

  private final class Leaf implements org.apache.parquet.column.page.PageReader {
    private final ColumnChunk chunk;
    private int next;

    /** Length of the last string of the page before. */
    private long lastLength;

    /** Rows of a repeated column that began on the pages so far, if all its pages are read. */
    private long begun;

    Leaf(ColumnChunk chunk) {
      this.chunk = chunk;
    }

    @Override
    public DictionaryPage readDictionaryPage() {
      if (!chunk.hasDictionary()) {
        return null;
      }
      try {
        DictionaryPageHeader header = chunk.header(-1).getDictionary_page_header();
        Bytes page = reader.read(chunk, -1, null).values();
        // Spark's dictionaries allocate as many entries as the header claims.
        if (header.getNum_values() < 0 || header.getNum_values() > page.length()) {
          String what =
              "a dictionary of "
                  + header.getNum_values()
                  + " entries in "
                  + page.length()
                  + " bytes";
          throw chunk.place.corrupt(-1, new CorruptPageException(what));
        }
        checkStrings(header, page);
        return new DictionaryPage(
            input(page), page.length(), header.getNum_values(), encoding(header.getEncoding()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /**
     * Throws if a string is longer than the page: Spark's reader allocates what its length says.
     */
    private void checkStrings(DictionaryPageHeader header, Bytes page) {
      if (chunk.descriptor.getPrimitiveType().getPrimitiveTypeName() != PrimitiveTypeName.BINARY) {
        return;
      }
      try {
        Bytes rest = page;
        for (int i = 0; i < header.getNum_values(); i++) {
          int length = rest.framedLength();
          rest = rest.slice(Integer.BYTES + length, rest.length() - Integer.BYTES - length);
        }
      } catch (CorruptPageException | IndexOutOfBoundsException e) {
        throw chunk.place.corrupt(-1, e);
      }
    }

    @Override
    public long getTotalValueCount() {
      return chunk.meta.getValueCount();
    }

    @Override
    public DataPage readPage() {
      while (exact
          && next < chunk.pageCount()
          && !rows.anyIn(chunk.firstRow(next), chunk.endRow(next))) {
        next++;
      }
      if (next >= chunk.pageCount()) {
        checkEnd();
        return null;
      }
      int p = next++;
      try {
        PageReader.Parts parts = reader.read(chunk, p, null);
        if (isRepeated() && !readsAll()) {
          RowStarts.check(chunk, p, parts, chunk.endRow(p) - chunk.firstRow(p));
        }
        int wanted = levelsRead(p);
        PageRuns.check(chunk, p, parts, wanted);
        if (isRepeated() && readsAll()) {
          begun += RowStarts.count(chunk, p, parts);
        }
        long shareable = chunk.chainsPages() ? lastLength : 0;
        lastLength = PageRuns.checkPrefixes(chunk, p, parts, wanted, shareable);
        return page(chunk.header(p), parts, exact ? chunk.firstRow(p) : 0, p);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private boolean isRepeated() {
      return chunk.descriptor.getMaxRepetitionLevel() > 0;
    }

    private boolean readsAll() {
      return !exact || rows.isAll();
    }

    /**
     * Throws if the pages have fewer rows than the row group: Spark's reader returns what its
     * vectors held before in place of the others.
     */
    private void checkEnd() {
      if (isRepeated() && readsAll() && begun < rows.rows()) {
        String what = "the pages have " + begun + " rows, and the row group " + rows.rows();
        throw chunk.place.corrupt(chunk.pageCount() - 1, new CorruptPageException(what));
      }
    }

    /** How many levels of a page Spark's reader may ask for. */
    private int levelsRead(int p) {
      if (isRepeated()) {
        return Integer.MAX_VALUE;
      }
      int first = chunk.firstRow(p);
      int end = chunk.endRow(p);
      if (!exact || rows.allIn(first, end)) {
        return end - first;
      }
      int read = first;
      int next = rows.nextSelected(first);
      while (next >= 0 && next < end) {
        read = Math.min(rows.nextUnselected(next), end);
        next = rows.nextSelected(read);
      }
      return read - first;
    }

    private DataPage page(PageHeader header, PageReader.Parts parts, long firstRow, int p) {
      if (header.getType() == PageType.DATA_PAGE) {
        DataPageHeader v1 = header.getData_page_header();
        return new DataPageV1(
            input(parts.values()),
            v1.getNum_values(),
            parts.values().length(),
            firstRow,
            exact ? chunk.endRow(p) - chunk.firstRow(p) : v1.getNum_values(),
            null,
            encoding(v1.getRepetition_level_encoding()),
            encoding(v1.getDefinition_level_encoding()),
            encoding(v1.getEncoding()));
      }
      DataPageHeaderV2 v2 = header.getData_page_header_v2();
      return DataPageV2.uncompressed(
          v2.getNum_rows(),
          v2.getNum_nulls(),
          v2.getNum_values(),
          firstRow,
          input(parts.repetition()),
          input(parts.definition()),
          encoding(v2.getEncoding()),
          input(parts.values()),
          null);
    }
  }

  // An exact copy: Spark's readers take the whole buffer for the page.
  private static BytesInput input(Bytes b) {
    return BytesInput.from(b.copy().array());
  }

  private static Encoding encoding(org.apache.parquet.format.Encoding e) {
    return Encoding.valueOf(e.name());
  }
}
