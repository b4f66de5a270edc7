// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.zip.CRC32;
import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.encoding.CheckedSizes;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.read.task.ScanMemory;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/**
 * Decompresses pages of column chunks, after verifying their checksums if configured. Decompressed
 * bytes are followed by at least {@link #SLACK} readable bytes, so that decoders may load words.
 */
public final class PageReader {
  static final int SLACK = Long.BYTES;

  /**
   * Sizes up to this are plausible; larger ones must agree with the footer before they allocate.
   */
  private static final int PLAUSIBLE_PAGE = 64 << 20;

  private final Decompressor decompressor;
  private final boolean verifyChecksums;
  private final ScanMemory memory;
  private final Deque<Buffer> spare = new ArrayDeque<>();

  /**
   * @param memory accounts for the buffers
   */
  public PageReader(Decompressor decompressor, boolean verifyChecksums, ScanMemory memory) {
    this.decompressor = decompressor;
    this.verifyChecksums = verifyChecksums;
    this.memory = memory;
  }

  /** A buffer that successive pages may share; it never shrinks. */
  public static final class Buffer {
    private byte[] bytes = {};
  }

  /** A buffer that belongs to the caller until {@link #giveBack}. */
  public Buffer takeBuffer() {
    Buffer buffer = spare.pollLast();
    return buffer == null ? new Buffer() : buffer;
  }

  /** Returns a buffer, and with it any page inside, for other columns. */
  public void giveBack(Buffer buffer) {
    spare.addLast(buffer);
  }

  /** Frees unused buffers, with the row group that they were accounted for. */
  public void release() {
    spare.clear();
  }

  private byte[] atLeast(int size, Buffer buffer) {
    int before = buffer.bytes.length;
    if (before < size) {
      int after = (int) Math.max(size, Math.min(CheckedSizes.MOST, before + before / 2L));
      memory.hold(after - before);
      buffer.bytes = new byte[after];
    }
    return buffer.bytes;
  }

  /**
   * A page's three parts, decompressed; level parts are empty for a column without levels.
   *
   * @param levelsFramed whether each level part, in front of the values, starts with its length
   *     (data page V1); then {@code values} holds all three
   */
  public record Parts(Bytes repetition, Bytes definition, Bytes values, boolean levelsFramed) {

    /** The same parts of a page of {@code column}, each apart and without its length. */
    public Parts unframed(ColumnDescriptor column) {
      if (!levelsFramed) {
        return this;
      }
      Bytes rest = values;
      Bytes first = column.getMaxRepetitionLevel() == 0 ? null : framed(rest);
      rest = first == null ? rest : behind(rest, first);
      Bytes second = column.getMaxDefinitionLevel() == 0 ? null : framed(rest);
      rest = second == null ? rest : behind(rest, second);
      return new Parts(first, second, rest, false);
    }

    private static Bytes framed(Bytes rest) {
      return rest.slice(Integer.BYTES, rest.framedLength());
    }

    private static Bytes behind(Bytes rest, Bytes part) {
      int taken = Integer.BYTES + part.length();
      return rest.slice(taken, rest.length() - taken);
    }
  }

  /**
   * Reads a data page, or the dictionary page for -1; a null {@code into} allocates fresh bytes.
   */
  public Parts read(ColumnChunk chunk, int page, Buffer into) throws IOException {
    PageHeader header = chunk.header(page);
    Bytes body = chunk.body(page);
    try {
      verify(header, body);
      if (header.getType() == PageType.DATA_PAGE_V2) {
        return readV2(chunk, header, body, into);
      }
      Bytes all = inflate(chunk, body, header.getUncompressed_page_size(), true, into);
      return new Parts(null, null, all, true);
    } catch (CorruptPageException e) {
      throw chunk.place.corrupt(page, e);
    }
  }

  private Parts readV2(ColumnChunk chunk, PageHeader header, Bytes body, Buffer into)
      throws IOException {
    DataPageHeaderV2 v2 = header.getData_page_header_v2();
    int rl = v2.getRepetition_levels_byte_length();
    int dl = v2.getDefinition_levels_byte_length();
    if (rl < 0 || dl < 0 || rl > body.length() - dl) {
      throw new CorruptPageException(
          "levels of " + rl + " and " + dl + " bytes in " + body.length());
    }
    Bytes data = body.slice(rl + dl, body.length() - rl - dl);
    int size = header.getUncompressed_page_size() - rl - dl;
    boolean compressed = !v2.isSetIs_compressed() || v2.isIs_compressed();
    return new Parts(
        body.slice(0, rl), body.slice(rl, dl), inflate(chunk, data, size, compressed, into), false);
  }

  private Bytes inflate(ColumnChunk chunk, Bytes from, int size, boolean compressed, Buffer into)
      throws IOException {
    CompressionCodecName codec = chunk.meta.getCodec();
    if (!compressed || codec == CompressionCodecName.UNCOMPRESSED) {
      return from;
    }
    if (size < 0 || size > PLAUSIBLE_PAGE && size > chunk.meta.getTotalUncompressedSize()) {
      throw new CorruptPageException(
          "a page of "
              + size
              + " bytes in a column chunk of "
              + chunk.meta.getTotalUncompressedSize());
    }
    if (size > Decompressor.mostBytes(codec, from.length())) {
      throw new CorruptPageException(
          "a page of " + size + " bytes in " + from.length() + " bytes of " + codec);
    }
    if (size == 0) {
      return new Bytes(new byte[SLACK], 0, 0);
    }
    int capacity = CheckedSizes.ofArray((long) size + SLACK, "a page");
    byte[] to = into == null ? new byte[capacity] : atLeast(capacity, into);
    decompressor.decompress(codec, from, to, 0, size);
    return new Bytes(to, 0, size);
  }

  private void verify(PageHeader header, Bytes body) {
    if (!verifyChecksums || !header.isSetCrc()) {
      return;
    }
    CRC32 crc = new CRC32();
    crc.update(body.array(), body.start(), body.length());
    if ((int) crc.getValue() != header.getCrc()) {
      throw new CorruptPageException("checksum verification failed");
    }
  }

  /** Encoding of the values of a data page. */
  public static org.apache.parquet.format.Encoding encoding(PageHeader header) {
    DataPageHeader v1 = header.getData_page_header();
    return v1 != null ? v1.getEncoding() : header.getData_page_header_v2().getEncoding();
  }
}
