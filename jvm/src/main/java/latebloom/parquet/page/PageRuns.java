// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page;

import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.encoding.Decoders;
import latebloom.parquet.encoding.RleBitPackingHybridDecoder;
import latebloom.read.task.RunningTask;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/**
 * Checks a page before Spark's reader gets it: whether its runs hold as many levels and codes as
 * that reader will ask for, and its strings share no more than there is. Where runs end before,
 * that reader asks again for ever, whether its task was killed or not; and it allocates what a
 * packed run claims before it finds that the page is shorter.
 */
final class PageRuns {
  private static final int BLOCK = 64;

  private PageRuns() {}

  /**
   * Throws if the page has fewer than {@code wanted} levels, or fewer codes than these have values.
   */
  static void check(ColumnChunk chunk, int page, PageReader.Parts parts, int wanted) {
    try {
      PageHeader header = chunk.header(page);
      int count = ColumnChunk.valueCount(header);
      if (count < 0) {
        throw new CorruptPageException(count + " values");
      }
      if (!areRuns(chunk, header)) {
        // Spark's reader does not read these, and says so.
        return;
      }
      PageReader.Parts each = parts.unframed(chunk.descriptor);
      int n = Math.min(wanted, count);
      int mostRepetition = chunk.descriptor.getMaxRepetitionLevel();
      int mostDefinition = chunk.descriptor.getMaxDefinitionLevel();
      checkLevels("repetition", each.repetition(), mostRepetition, n);
      checkLevels("definition", each.definition(), mostDefinition, n);
      int codes = codes(chunk, header, each.values(), n);
      if (codes < n) {
        int values =
            mostDefinition == 0 ? n : count(each.definition(), mostDefinition, n, mostDefinition);
        if (codes < values) {
          throw new CorruptPageException(codes + " codes for " + values + " values");
        }
      }
    } catch (CorruptPageException | IndexOutOfBoundsException e) {
      throw chunk.place.corrupt(page, e);
    }
  }

  /**
   * Throws if a value of a DELTA_BYTE_ARRAY page shares more bytes than the one before it has:
   * Spark's reader takes what lies behind that one in its vector, mostly of an earlier batch.
   *
   * @param wanted levels that Spark's reader will ask for
   * @param lastLength length in bytes of the last value of the page before, if it may be built on
   * @return the length of the page's last value; 0 for other encodings
   */
  static long checkPrefixes(
      ColumnChunk chunk, int page, PageReader.Parts parts, int wanted, long lastLength) {
    PageHeader header = chunk.header(page);
    if (PageReader.encoding(header) != Encoding.DELTA_BYTE_ARRAY || !areRuns(chunk, header)) {
      return 0;
    }
    try {
      PageReader.Parts each = parts.unframed(chunk.descriptor);
      int n = Math.min(wanted, ColumnChunk.valueCount(header));
      int most = chunk.descriptor.getMaxDefinitionLevel();
      int values = most == 0 ? n : count(each.definition(), most, n, most);
      return Decoders.checkPrefixes(each.values(), values, lastLength);
    } catch (CorruptPageException | IndexOutOfBoundsException e) {
      throw chunk.place.corrupt(page, e);
    }
  }

  private static boolean areRuns(ColumnChunk chunk, PageHeader header) {
    if (header.getType() != PageType.DATA_PAGE) {
      return true;
    }
    DataPageHeader v1 = header.getData_page_header();
    return (chunk.descriptor.getMaxRepetitionLevel() == 0
            || v1.getRepetition_level_encoding() == Encoding.RLE)
        && (chunk.descriptor.getMaxDefinitionLevel() == 0
            || v1.getDefinition_level_encoding() == Encoding.RLE);
  }

  private static void checkLevels(String kind, Bytes levels, int most, int wanted) {
    int found = most == 0 ? wanted : length(levels, width(most), wanted);
    if (found < wanted) {
      throw new CorruptPageException(found + " " + kind + " levels, where " + wanted + " are read");
    }
  }

  /** How many codes, or booleans, a page has; {@code wanted} if they are no runs. */
  private static int codes(ColumnChunk chunk, PageHeader header, Bytes values, int wanted) {
    boolean isBoolean =
        chunk.descriptor.getPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.BOOLEAN;
    return switch (PageReader.encoding(header)) {
      case PLAIN_DICTIONARY, RLE_DICTIONARY -> {
        // Without a byte Spark's reader takes all codes for 0, and more bits it refuses.
        int width = values.length() == 0 ? 0 : values.array()[values.start()] & 0xff;
        yield width == 0 || width > Integer.SIZE
            ? wanted
            : length(values.slice(1, values.length() - 1), width, wanted);
      }
      case RLE ->
          isBoolean
              ? length(values.slice(Integer.BYTES, values.framedLength()), 1, wanted)
              : wanted;
      default -> wanted;
    };
  }

  static int width(int most) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(most);
  }

  /** How many values runs have by their headers, at most {@code wanted}. */
  private static int length(Bytes runs, int width, int wanted) {
    byte[] data = runs.array();
    int at = runs.start();
    long n = 0;
    while (n < wanted && at < runs.end()) {
      RunningTask.checkNotKilled();
      int header = 0;
      int shift = 0;
      byte b;
      do {
        if (at == runs.end()) {
          throw new CorruptPageException("a run that ends within its header");
        }
        b = data[at++];
        // As Spark's reader has it, whatever the number of bytes.
        header |= (b & 0x7f) << shift;
        shift += 7;
      } while (b < 0);
      long count = header >>> 1;
      long bytes = (width + 7) >>> 3;
      if ((header & 1) != 0) {
        bytes = count * width;
        count *= 8;
      }
      if (bytes > runs.end() - at) {
        throw new CorruptPageException(
            "a run of " + count + " values in " + (runs.end() - at) + " bytes");
      }
      at += (int) bytes;
      n += count;
    }
    return (int) Math.min(n, wanted);
  }

  /** How many of the first {@code n} levels, up to {@code most}, are {@code level}. */
  static int count(Bytes levels, int most, int n, int level) {
    RleBitPackingHybridDecoder decoder =
        new RleBitPackingHybridDecoder(levels.array(), levels.start(), levels.end(), width(most));
    int found = 0;
    int[] block = new int[BLOCK];
    for (int at = 0; at < n; ) {
      RunningTask.checkNotKilled();
      int end = Math.min(decoder.runEnd(at), n);
      long shared = decoder.shared(at, end - 1);
      if (shared < 0) {
        end = Math.min(end, at + BLOCK);
        decoder.readRange(at, end - at, block);
        for (int i = 0; i < end - at; i++) {
          found += block[i] == level ? 1 : 0;
        }
      } else if (shared == level) {
        found += end - at;
      }
      at = end;
    }
    return found;
  }
}
