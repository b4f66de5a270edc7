// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import latebloom.parquet.types.Conversion;
import latebloom.parquet.types.FlatType;
import latebloom.parquet.types.FlatType.Physical;
import latebloom.read.vector.FixedValues;
import latebloom.read.vector.StringValues;
import org.apache.parquet.column.EncodingStats;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;

/**
 * Chooses the decoder of a page's values, by type and encoding (format specification, "Encodings").
 */
public final class Decoders {
  private Decoders() {}

  /** Whether all encodings of a chunk's pages are decoded here. */
  @SuppressWarnings("deprecation") // old names that files still carry; BIT_PACKED encodes levels
  public static boolean decode(FlatType type, ColumnChunkMetaData meta) {
    EncodingStats stats = meta.getEncodingStats();
    Set<org.apache.parquet.column.Encoding> found =
        stats != null && !stats.getDataEncodings().isEmpty()
            ? stats.getDataEncodings()
            : meta.getEncodings();
    for (org.apache.parquet.column.Encoding e : found) {
      boolean decoded =
          switch (e) {
            case PLAIN, RLE, BIT_PACKED, RLE_DICTIONARY, PLAIN_DICTIONARY -> true;
            default -> encodings(type.physical()).contains(Encoding.valueOf(e.name()));
          };
      if (!decoded) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether all data pages of a chunk hold codes of its dictionary. Without counts of pages by
   * their encoding only the names tell: old writers call codes PLAIN_DICTIONARY, and the
   * dictionary's own page as well.
   */
  @SuppressWarnings("deprecation") // as above
  public static boolean areCoded(ColumnChunkMetaData meta) {
    EncodingStats stats = meta.getEncodingStats();
    if (stats != null) {
      return stats.hasDictionaryPages()
          && stats.hasDictionaryEncodedPages()
          && !stats.hasNonDictionaryEncodedPages();
    }
    Set<org.apache.parquet.column.Encoding> others = new HashSet<>(meta.getEncodings());
    others.remove(org.apache.parquet.column.Encoding.RLE);
    others.remove(org.apache.parquet.column.Encoding.BIT_PACKED);
    return others.equals(Set.of(org.apache.parquet.column.Encoding.PLAIN_DICTIONARY));
  }

  /** The encodings that a page's values may have, besides dictionary codes. */
  private static Set<Encoding> encodings(Physical physical) {
    return switch (physical) {
      case BOOLEAN -> EnumSet.of(Encoding.PLAIN, Encoding.RLE);
      case INT32, INT64 ->
          EnumSet.of(Encoding.PLAIN, Encoding.DELTA_BINARY_PACKED, Encoding.BYTE_STREAM_SPLIT);
      case INT96 -> EnumSet.of(Encoding.PLAIN);
      case FLOAT, DOUBLE -> EnumSet.of(Encoding.PLAIN, Encoding.BYTE_STREAM_SPLIT);
      case BINARY ->
          EnumSet.of(Encoding.PLAIN, Encoding.DELTA_LENGTH_BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY);
      case BIG_ENDIAN, FIXED_BINARY ->
          EnumSet.of(Encoding.PLAIN, Encoding.DELTA_BYTE_ARRAY, Encoding.BYTE_STREAM_SPLIT);
    };
  }

  /** Decoder of a page's {@code count} values, of a column that Spark holds as numbers. */
  public static FixedValues fixed(FlatType type, Encoding encoding, Bytes values, int count) {
    check(type, encoding);
    if (count == 0) {
      return (indexes, n, out) -> {};
    }
    FixedValues raw =
        type.physical().isBytes()
            ? new BigEndianValues(rawStrings(type, encoding, values, count))
            : rawNumbers(type, encoding, values, count);
    return type.conversion() instanceof Conversion.OfNumbers c ? new ConvertedValues(raw, c) : raw;
  }

  /** Decoder of a page's {@code count} values, of a column that Spark holds as byte strings. */
  public static StringValues strings(FlatType type, Encoding encoding, Bytes values, int count) {
    check(type, encoding);
    if (count == 0) {
      return new PlainByteArrayDecoder(type, values);
    }
    if (!(type.conversion() instanceof Conversion.ToDecimalBytes c)) {
      return rawStrings(type, encoding, values, count);
    }
    return type.physical().isBytes()
        ? new DecimalStrings(rawStrings(type, encoding, values, count), c)
        : new DecimalStrings(rawNumbers(type, encoding, values, count), c);
  }

  private static FixedValues rawNumbers(FlatType type, Encoding encoding, Bytes values, int count) {
    return switch (encoding) {
      case RLE -> new RleBooleanDecoder(values);
      case DELTA_BINARY_PACKED ->
          new DeltaBinaryPackedDecoder(values, count, type.physical() == Physical.INT32);
      case DELTA_BYTE_ARRAY ->
          new BigEndianValues(new DeltaByteArrayDecoder(values, count, type.width()));
      case BYTE_STREAM_SPLIT -> new ByteStreamSplitDecoder(type, values, count);
      default -> new PlainDecoder(type, values, count);
    };
  }

  /**
   * Throws if a value of a DELTA_BYTE_ARRAY page shares more bytes than the one before it has.
   *
   * @param count values of the page
   * @param lastLength length in bytes of the last value of the page before
   * @return the length of the last value
   */
  public static long checkPrefixes(Bytes values, int count, long lastLength) {
    return count == 0 ? lastLength : DeltaByteArrayDecoder.check(values, count, lastLength);
  }

  private static StringValues rawStrings(
      FlatType type, Encoding encoding, Bytes values, int count) {
    int length = type.physical() == Physical.FIXED_BINARY ? type.width() : -1;
    return switch (encoding) {
      case DELTA_LENGTH_BYTE_ARRAY -> new DeltaLengthByteArrayDecoder(values, count);
      case DELTA_BYTE_ARRAY -> new DeltaByteArrayDecoder(values, count, length);
      case BYTE_STREAM_SPLIT -> new ByteStreamSplitByteArrayDecoder(values, type.width(), count);
      default -> new PlainByteArrayDecoder(type, values);
    };
  }

  private static void check(FlatType type, Encoding encoding) {
    if (!encodings(type.physical()).contains(encoding)) {
      throw new CorruptPageException(
          "values of physical type " + type.physical() + " in encoding " + encoding);
    }
  }
}
