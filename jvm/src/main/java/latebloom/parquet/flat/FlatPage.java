// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.flat;

import java.io.IOException;
import latebloom.line.ParquetColumns;
import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.encoding.Decoders;
import latebloom.parquet.encoding.RleBitPackingHybridDecoder;
import latebloom.parquet.page.ColumnChunk;
import latebloom.parquet.page.PageReader;
import latebloom.parquet.types.FlatType;
import latebloom.read.vector.FixedValues;
import latebloom.read.vector.StringValues;
import latebloom.read.vector.ValidRows;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;

/** One decompressed page of a flat column: its valid rows and its encoded values. */
public final class FlatPage {
  final int page;
  final int rows;
  private final Encoding encoding;
  private final Bytes values;
  private final int valueCount;

  /** Null if no row is null. */
  private final ValidRows valid;

  private final boolean lasts;

  /**
   * @param valid null if no row is null
   * @param lasts whether it stays valid while another page is read
   */
  public FlatPage(
      int page,
      int rows,
      Encoding encoding,
      Bytes values,
      int valueCount,
      ValidRows valid,
      boolean lasts) {
    this.page = page;
    this.rows = rows;
    this.encoding = encoding;
    this.values = values;
    this.valueCount = valueCount;
    this.valid = valid;
    this.lasts = lasts;
  }

  /**
   * Reads a page.
   *
   * @param into holds the page until something else is read into it; null for bytes of its own
   */
  public static FlatPage read(
      ColumnChunk chunk, int page, PageReader reader, PageReader.Buffer into) throws IOException {
    PageHeader header = chunk.header(page);
    int rows = chunk.endRow(page) - chunk.firstRow(page);
    PageReader.Parts parts = reader.read(chunk, page, into);
    try {
      int max = chunk.descriptor.getMaxDefinitionLevel();
      boolean optional = max > 0;
      Bytes values = parts.values();
      RleBitPackingHybridDecoder levels = null;
      if (parts.levelsFramed() && optional) {
        checkRunLengthEncoded(header.getData_page_header());
        int length = values.framedLength();
        levels = levels(values.slice(Integer.BYTES, length), max);
        int taken = Integer.BYTES + length;
        values = values.slice(taken, values.length() - taken);
      } else if (optional) {
        levels = levels(parts.definition(), max);
      }
      ValidRows valid = levels == null ? null : validRows(levels, max, rows);
      int count = valid == null ? rows : valid.count();
      return new FlatPage(
          page, rows, PageReader.encoding(header), values, count, valid, into == null);
    } catch (CorruptPageException | IndexOutOfBoundsException e) {
      throw chunk.place.corrupt(page, e);
    }
  }

  private static RleBitPackingHybridDecoder levels(Bytes b, int max) {
    int width = Integer.SIZE - Integer.numberOfLeadingZeros(max);
    return new RleBitPackingHybridDecoder(b.array(), b.start(), b.end(), width);
  }

  // Spark's message for the same page.
  public static void checkRunLengthEncoded(DataPageHeader header) {
    if (header.getDefinition_level_encoding() != Encoding.RLE) {
      throw ParquetColumns.unsupported(header.getDefinition_level_encoding().toString());
    }
  }

  /** Rows of level {@code max}, which have a value; null if all have. */
  private static ValidRows validRows(RleBitPackingHybridDecoder levels, int max, int rows) {
    if (rows == 0 || levels.shared(0, rows - 1) == max) {
      return null;
    }
    long[] valid = new long[(int) ((rows + 63L) >>> 6)];
    int[] block = new int[64];
    for (int w = 0; w < valid.length; w++) {
      int from = w << 6;
      int n = Math.min(64, rows - from);
      long shared = levels.shared(from, from + n - 1);
      long word = 0;
      if (shared >= 0) {
        word = shared == max ? -1L >>> (64 - n) : 0;
      } else if (max == 1) {
        word = levels.ones(from, n);
      } else {
        levels.readRange(from, n, block);
        for (int i = 0; i < n; i++) {
          word |= (block[i] == max ? 1L : 0) << i;
        }
      }
      valid[w] = word;
    }
    ValidRows some = new ValidRows(valid);
    return some.count() == rows ? null : some;
  }

  boolean hasNulls() {
    return valid != null;
  }

  /** The page's valid rows; null if no row is null. */
  public ValidRows valid() {
    return valid;
  }

  public boolean isDictionaryCoded() {
    return isDictionary(encoding);
  }

  static boolean isDictionary(Encoding encoding) {
    return encoding == Encoding.RLE_DICTIONARY || encoding == Encoding.PLAIN_DICTIONARY;
  }

  /** Cursor over the dictionary codes. */
  public RleBitPackingHybridDecoder codes() {
    if (valueCount == 0) {
      return new RleBitPackingHybridDecoder(values.array(), values.start(), values.start(), 0);
    }
    if (values.length() < 1) {
      throw new CorruptPageException("a page of codes without their bit width");
    }
    int width = values.array()[values.start()] & 0xff;
    return new RleBitPackingHybridDecoder(values.array(), values.start() + 1, values.end(), width);
  }

  /** Cursor over the values of a column of fixed width, other than dictionary codes. */
  public FixedValues fixedValues(FlatType type) {
    return Decoders.fixed(type, encoding, values, valueCount);
  }

  /** Cursor over the values of a column of byte strings, other than dictionary codes. */
  public StringValues stringValues(FlatType type) {
    return Decoders.strings(type, encoding, values, valueCount);
  }

  /** Whether it stays valid while another page is read. */
  boolean lasts() {
    return lasts;
  }

  /** Bytes of the values, about the cost of keeping the page. */
  long bytes() {
    return values.length();
  }
}
