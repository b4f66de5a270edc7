// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.encoding.CheckedSizes;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.encoding.Decoders;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.selection.Selection;
import latebloom.read.task.Counter;
import latebloom.read.task.Counters;
import latebloom.read.task.RunningTask;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.hadoop.metadata.IndexReference;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.spark.TaskKilledException;

/**
 * One column of one row group in the file: its pages, their rows, and the compressed bytes of the
 * fetched pages.
 *
 * <pre>
 *   chunk   | dictionary page | page 0        | page 1     | page 2       |
 *   rows                        0 ..            firstRow[1]  firstRow[2] ..  rows
 * </pre>
 *
 * With an offset index the page offsets are known beforehand, and only pages that hold wanted rows
 * are fetched. Without one, or when all pages are wanted, the chunk is fetched whole and its page
 * headers are walked; for a repeated column these do not show which rows a page holds.
 *
 * <p>A chunk of a flat column may have more values than the row group has rows. Spark's reader
 * takes the first values, one per row, and ignores the rest; so do we.
 */
public final class ColumnChunk {
  public final ColumnPlace place;
  public final ColumnDescriptor descriptor;
  public final ColumnChunkMetaData meta;
  public final int rows;
  private final long fileLength;
  private final boolean chainsPages;
  private final Counters counters;

  private Bytes indexBytes;
  private OffsetIndex index;
  private boolean indexUseless;
  private boolean indexReadable;
  private boolean walked;
  private int[] firstRow;
  private Page[] pages = {};
  private Page dictionaryPage;

  /** By the chunk's metadata, and by the page headers parsed so far, of which it may omit some. */
  private final Set<Encoding> encodings;

  /** A page in the file; parses its header on demand. */
  private static final class Page {
    Bytes bytes;
    public PageHeader header;
    public Bytes body;
    boolean planned;
    boolean read;
  }

  /**
   * @param fileLength of the file in bytes
   * @param chainsPages whether the file's writer may have made DELTA_BYTE_ARRAY pages that build on
   *     each other
   */
  public ColumnChunk(
      ColumnPlace place,
      ColumnDescriptor descriptor,
      ColumnChunkMetaData meta,
      int rows,
      long fileLength,
      boolean chainsPages,
      Counters counters) {
    this.place = place;
    this.descriptor = descriptor;
    this.meta = meta;
    this.rows = rows;
    this.fileLength = fileLength;
    this.chainsPages = chainsPages;
    this.counters = counters;
    this.encodings = EnumSet.noneOf(Encoding.class);
    this.encodings.addAll(meta.getEncodings());
  }

  /** Whether the chunk has an offset index that is unread and would still help. */
  public boolean lacksIndex() {
    return index == null && indexBytes == null && !walked && hasIndex();
  }

  /** Whether the chunk has an offset index, so that its pages can be fetched one by one. */
  public boolean hasIndex() {
    return !indexUseless && liesInFile(meta.getOffsetIndexReference());
  }

  /** Whether the index is at a readable place: Spark reads many files without one. */
  boolean liesInFile(IndexReference index) {
    return index != null
        && index.getOffset() >= 0
        && index.getLength() > 0
        && index.getOffset() <= fileLength - index.getLength();
  }

  public WantedRange indexRange() {
    IndexReference ref = meta.getOffsetIndexReference();
    return wanted(ref.getOffset(), ref.getLength(), b -> indexBytes = b);
  }

  /**
   * Drops the page offsets, so that the chunk is fetched whole. No page may have been fetched by
   * them.
   */
  public void dropIndex() {
    index = null;
    indexBytes = null;
    indexUseless = true;
    firstRow = null;
    pages = new Page[0];
  }

  /** The offset index; null if it was not fetched or is invalid. */
  public OffsetIndex index() {
    if (indexBytes != null) {
      parseIndex(indexBytes);
      indexBytes = null;
    }
    return index;
  }

  /** Whether the offset index was fetched and parquet-java can read it, valid or not. */
  public boolean isIndexReadable() {
    index();
    return indexReadable;
  }

  private void parseIndex(Bytes bytes) {
    try {
      OffsetIndex read =
          ParquetMetadataConverter.fromParquetOffsetIndex(ThriftReader.offsetIndex(bytes));
      indexReadable = true;
      if (isConsistent(read)) {
        index = read;
        pages = new Page[read.getPageCount()];
        firstRow = new int[pages.length + 1];
        for (int i = 0; i < pages.length; i++) {
          pages[i] = new Page();
          firstRow[i] = (int) read.getFirstRowIndex(i);
        }
        firstRow[pages.length] = rows;
      }
    } catch (IOException | RuntimeException e) {
      index = null;
    }
    // An invalid index is ignored: the chunk is fetched whole, as without one.
    indexUseless = index == null;
  }

  private boolean isConsistent(OffsetIndex read) {
    int n = read.getPageCount();
    for (int i = 0; i < n; i++) {
      long row = read.getFirstRowIndex(i);
      boolean rowFits = i == 0 ? row == 0 : row > read.getFirstRowIndex(i - 1);
      long before = read.getOffset(i) - start();
      boolean bytesFit =
          before >= 0
              && read.getOffset(i) >= 0
              && read.getCompressedPageSize(i) > 0
              && before <= meta.getTotalSize() - read.getCompressedPageSize(i);
      if (!rowFits || row >= rows || !bytesFit) {
        return false;
      }
    }
    return n > 0;
  }

  /** Adds the ranges that reading {@code wanted} needs and that were not fetched before. */
  public void want(Selection wanted, List<WantedRange> ranges) {
    if (walked || wanted.isNone()) {
      return;
    }
    if (index() == null) {
      walked = true;
      ranges.add(wholeRange());
      return;
    }
    long first = index.getOffset(0);
    if (dictionaryPage == null && meta.hasDictionaryPage() && start() < first) {
      dictionaryPage = new Page();
      ranges.add(wanted(start(), length(first - start()), b -> dictionaryPage.bytes = b));
    }
    for (int i = 0; i < pages.length; i++) {
      Page page = pages[i];
      if (!page.planned && wanted.anyIn(firstRow[i], firstRow[i + 1])) {
        page.planned = true;
        ranges.add(wanted(index.getOffset(i), index.getCompressedPageSize(i), b -> page.bytes = b));
      }
    }
  }

  /**
   * The range of the dictionary page; null unless all data pages hold codes of it, by what the file
   * says.
   */
  public WantedRange dictionaryRange() {
    long bytes = meta.getFirstDataPageOffset() - start();
    if (!Decoders.areCoded(meta) || bytes <= 0 || bytes >= meta.getTotalSize()) {
      return null;
    }
    dictionaryPage = new Page();
    return wanted(start(), length(bytes), b -> dictionaryPage.bytes = b);
  }

  /** The range of the whole chunk. */
  public WantedRange wholeRange() {
    return wanted(start(), length(meta.getTotalSize()), this::walk);
  }

  private int length(long bytes) {
    try {
      return CheckedSizes.ofArray(bytes, "a range of the chunk");
    } catch (CorruptPageException e) {
      throw place.corrupt(0, e);
    }
  }

  static WantedRange wanted(long offset, int length, Consumer<Bytes> receiver) {
    return new WantedRange(
        offset, length, (a, start, n) -> receiver.accept(new Bytes(a, start, n)));
  }

  private long start() {
    return meta.getStartingPos();
  }

  /** Bytes of this chunk that were never requested. */
  public long bytesAvoided() {
    if (walked) {
      return 0;
    }
    long avoided = meta.getTotalSize() - fetched(dictionaryPage);
    for (Page p : pages) {
      avoided -= fetched(p);
    }
    return avoided;
  }

  private static int fetched(Page p) {
    return p == null || p.bytes == null ? 0 : p.bytes.length();
  }

  /** Known data pages that were never decompressed. */
  public int pagesSkipped() {
    int n = 0;
    for (Page p : pages) {
      n += p.read ? 0 : 1;
    }
    return n;
  }

  private void walk(Bytes chunk) {
    List<Page> found = new ArrayList<>();
    List<Integer> starts = new ArrayList<>();
    Page dictionary = null;
    long values = 0;
    int at = 0;
    try {
      if (meta.getValueCount() < 0) {
        throw new CorruptPageException(meta.getValueCount() + " values");
      }
      while (values < meta.getValueCount()) {
        RunningTask.checkNotKilled();
        Page page = new Page();
        page.bytes = chunk.slice(at, chunk.length() - at);
        parseHeader(page);
        at = page.body.end() - chunk.start();
        page.bytes = page.body;
        PageType type = page.header.getType();
        if (type == PageType.DICTIONARY_PAGE) {
          if (dictionary != null) {
            throw new CorruptPageException("a second dictionary page");
          }
          dictionary = page;
        } else if (type == PageType.DATA_PAGE || type == PageType.DATA_PAGE_V2) {
          starts.add((int) Math.min(values, rows));
          found.add(page);
          int n = valueCount(page.header);
          if (n < 0 || n > meta.getValueCount() - values) {
            throw new CorruptPageException(
                n + " values, where " + (meta.getValueCount() - values) + " remain");
          }
          values += n;
        }
      }
    } catch (TaskKilledException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw place.corrupt(found.size(), e);
    }
    if (rowsFollowValues() && values < rows) {
      throw place.corrupt(
          found.size(), new CorruptPageException(values + " values for " + rows + " rows"));
    }
    pages = found.toArray(new Page[0]);
    dictionaryPage = dictionary;
    if (rowsFollowValues()) {
      firstRow = new int[pages.length + 1];
      for (int i = 0; i < pages.length; i++) {
        firstRow[i] = starts.get(i);
      }
      firstRow[pages.length] = rows;
    }
  }

  private boolean rowsFollowValues() {
    return descriptor.getMaxRepetitionLevel() == 0;
  }

  /** Values of a data page, nulls included; for a repeated column its levels. */
  public static int valueCount(PageHeader header) {
    return header.getType() == PageType.DATA_PAGE
        ? header.getData_page_header().getNum_values()
        : header.getData_page_header_v2().getNum_values();
  }

  private void parseHeader(Page page) throws IOException {
    ThriftReader.Header read = ThriftReader.pageHeader(page.bytes);
    PageHeader header = read.header();
    page.body = page.bytes.slice(read.length(), header.getCompressed_page_size());
    boolean complete =
        switch (header.getType()) {
          case DATA_PAGE -> header.isSetData_page_header();
          case DATA_PAGE_V2 -> header.isSetData_page_header_v2();
          case DICTIONARY_PAGE -> header.isSetDictionary_page_header();
          default -> true;
        };
    if (!complete || header.getUncompressed_page_size() < 0) {
      throw new CorruptPageException("an incomplete page header");
    }
    page.header = header;
    if (header.isSetData_page_header()) {
      addEncoding(header.getData_page_header().getEncoding());
    }
    if (header.isSetData_page_header_v2()) {
      addEncoding(header.getData_page_header_v2().getEncoding());
    }
  }

  private void addEncoding(org.apache.parquet.format.Encoding encoding) {
    if (encoding != null) {
      encodings.add(Encoding.valueOf(encoding.name()));
    }
  }

  // ---- the pages, once fetched

  public int pageCount() {
    return pages.length;
  }

  /**
   * Whether Spark's reader can read some of the rows only; else it must read every page in turn. It
   * can't when the rows of a page are unknown, nor when its decoder can't skip.
   */
  public boolean sparkSkipsRows() {
    return sparkSkipsValues() && (rowsFollowValues() || index() != null);
  }

  /**
   * Whether Spark's decoders of this chunk can skip. Its DELTA_BINARY_PACKED decoder, asked for no
   * value, restarts at the page's first, and the reader above it does that where a step ends just
   * before a range of rows begins. Its decoder of DELTA_BYTE_ARRAY of fixed length never skips. A
   * chunk can turn out to have such pages when their headers are parsed.
   */
  public boolean sparkSkipsValues() {
    boolean fixed =
        meta.getPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY;
    return !encodings.contains(Encoding.DELTA_BINARY_PACKED)
        && !(encodings.contains(Encoding.DELTA_BYTE_ARRAY) && (fixed || chainsPages));
  }

  /**
   * Whether a page's first string may build on the last one of the page before, as some old writers
   * wrote (PARQUET-246).
   */
  boolean chainsPages() {
    return chainsPages;
  }

  /** Whether the chunk has strings that build on another page. Only Spark's reader reads those. */
  public boolean chainsStrings() {
    return chainsPages && meta.getEncodings().contains(Encoding.DELTA_BYTE_ARRAY);
  }

  public int firstRow(int page) {
    return firstRow[page];
  }

  public int endRow(int page) {
    return firstRow[page + 1];
  }

  /** The page that holds {@code row}, at or after page {@code from}. */
  public int pageOf(int row, int from) {
    int p = from;
    while (firstRow[p + 1] <= row) {
      p++;
    }
    return p;
  }

  /** Parses the headers of the pages that hold {@code wanted}, which were fetched. */
  public void parseHeaders(Selection wanted) {
    for (int i = 0; firstRow != null && i < pages.length; i++) {
      if (wanted.anyIn(firstRow[i], firstRow[i + 1])) {
        header(i);
      }
    }
  }

  /** Header of a data page; of the dictionary page for -1. */
  public PageHeader header(int page) {
    Page p = page < 0 ? dictionaryPage : pages[page];
    if (p.header == null) {
      try {
        if (p.bytes == null) {
          throw new IllegalStateException("not fetched");
        }
        parseHeader(p);
        PageType type = p.header.getType();
        boolean data = type == PageType.DATA_PAGE || type == PageType.DATA_PAGE_V2;
        if (page < 0 ? type != PageType.DICTIONARY_PAGE : !data) {
          throw new CorruptPageException("the index leads to a page of type " + type);
        }
        if (page >= 0 && rowsFollowValues() && !holdsItsRows(page)) {
          throw new CorruptPageException(
              valueCount(p.header)
                  + " values, where the offset index has "
                  + (endRow(page) - firstRow(page))
                  + " rows");
        }
      } catch (IOException | RuntimeException e) {
        throw place.corrupt(page, e);
      }
    }
    return p.header;
  }

  /** Whether a page of a flat column has one value per row; only the last may have more. */
  private boolean holdsItsRows(int page) {
    int values = valueCount(pages[page].header);
    int wanted = endRow(page) - firstRow(page);
    return page == pages.length - 1 ? values >= wanted : values == wanted;
  }

  /** Compressed body of a data page; of the dictionary page for -1. */
  public Bytes body(int page) {
    header(page);
    Page p = page < 0 ? dictionaryPage : pages[page];
    if (page >= 0 && !p.read) {
      p.read = true;
      counters.add(Counter.PAGES_READ, 1);
    }
    return p.body;
  }

  public boolean hasDictionary() {
    return dictionaryPage != null;
  }
}
