// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import latebloom.orc.encoding.CorruptStreamException;
import latebloom.read.io.RangeFetcher;
import latebloom.read.io.RangeFetcher.WantedRange;
import org.apache.orc.OrcProto;
import org.apache.orc.OrcProto.Stream.Kind;
import org.apache.orc.StripeInformation;
import org.apache.orc.impl.BufferChunk;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.RecordReaderUtils;
import org.apache.orc.impl.StreamName;

/** The streams of one stripe, as its footer lists them, and their fetched pieces. */
public final class StripeStreams {
  final SplitContext split;
  private final Strides strides;
  private final OrcProto.StripeFooter footer;

  /** Streams by the column's id, in the footer's order. */
  private final Map<Integer, Map<Kind, StripeStream>> columns = new HashMap<>();

  /** Fetches the footer. */
  public StripeStreams(SplitContext split, StripeInformation info) throws IOException {
    this.split = split;
    int rows = Math.toIntExact(info.getNumberOfRows());
    this.strides = Strides.of(rows, split.reader().getRowIndexStride());
    this.footer = readFooter(info);
    findStreams(info.getOffset());
  }

  /** The range of a stripe's footer. */
  public static WantedRange footerRange(StripeInformation info, RangeFetcher.Receiver receiver) {
    long offset = info.getOffset();
    long index = info.getIndexLength();
    long data = info.getDataLength();
    long length = info.getFooterLength();
    boolean possible =
        (offset | index | data | length) >= 0
            && index <= Long.MAX_VALUE - offset
            && data <= Long.MAX_VALUE - offset - index
            && length <= Integer.MAX_VALUE;
    if (!possible) {
      throw new CorruptStreamException(
          "it is said to lie at byte "
              + offset
              + ", with "
              + index
              + " bytes of indexes, "
              + data
              + " of data and a footer of "
              + length);
    }
    return new WantedRange(offset + index + data, (int) length, receiver);
  }

  private OrcProto.StripeFooter readFooter(StripeInformation info) throws IOException {
    BufferChunk[] fetched = new BufferChunk[1];
    WantedRange range =
        footerRange(
            info,
            (array, start, n) ->
                fetched[0] = new BufferChunk(ByteBuffer.wrap(array, start, n).slice(), 0));
    split.fetcher().fetchMetadata(List.of(range));
    InStream in = InStream.create("footer", fetched[0], 0, range.length(), split.compression());
    try {
      return OrcProto.StripeFooter.parseFrom(InStream.createCodedInputStream(in));
    } catch (IOException e) {
      throw new CorruptStreamException("footer: " + e.getMessage(), e);
    }
  }

  /**
   * Locates the streams. All index streams precede all data streams, each kind in the footer's
   * order. Placeholders of encrypted streams take no space.
   */
  private void findStreams(long offset) {
    long at = offset;
    for (StreamName.Area area : List.of(StreamName.Area.INDEX, StreamName.Area.DATA)) {
      for (OrcProto.Stream s : footer.getStreamsList()) {
        if (s.hasKind()
            && (StreamName.getArea(s.getKind()) != area || isPlaceholder(s.getKind()))) {
          continue;
        }
        if (s.hasKind()) {
          columns
              .computeIfAbsent(s.getColumn(), c -> new LinkedHashMap<>())
              .put(s.getKind(), new StripeStream(s.getColumn(), s.getKind(), at, s.getLength()));
        }
        at += s.getLength();
      }
    }
  }

  /** Whether a stream of the kind takes no space in the stripe. */
  public static boolean isPlaceholder(Kind kind) {
    return kind == Kind.ENCRYPTED_INDEX || kind == Kind.ENCRYPTED_DATA;
  }

  public Strides strides() {
    return strides;
  }

  public String writerTimezone() {
    return footer.getWriterTimezone();
  }

  /** The encoding of a column of the file; a damaged footer may lack it. */
  public OrcProto.ColumnEncoding encoding(int column) {
    if (!hasEncoding(column)) {
      throw new CorruptStreamException(
          "the footer has no encoding of column " + column + " of " + footer.getColumnsCount());
    }
    return footer.getColumns(column);
  }

  boolean hasEncoding(int column) {
    return column < footer.getColumnsCount();
  }

  public boolean has(int column, Kind kind) {
    return stream(column, kind) != null;
  }

  /** Null if the stripe has no such stream. */
  StripeStream stream(int column, Kind kind) {
    return columns.getOrDefault(column, Map.of()).get(kind);
  }

  /** A cursor over the fetched pieces of a stream; null if the stripe has no such stream. */
  public InStream open(int column, Kind kind) {
    StripeStream s = stream(column, kind);
    if (s == null) {
      return null;
    }
    if (split.compression().isCompressed()) {
      split.memory().hold(split.compression().getBufferSize());
    }
    return s.open(split.compression());
  }

  /** The data streams of some columns. */
  List<StripeStream> data(IntStream ids) {
    return ids.boxed()
        .flatMap(id -> columns.getOrDefault(id, Map.of()).values().stream())
        .filter(s -> StreamName.getArea(s.kind) == StreamName.Area.DATA)
        .toList();
  }

  public boolean isDictionary(int column, Kind kind) {
    return RecordReaderUtils.isDictionary(kind, encoding(column));
  }

  /** Releases the fetched pieces. */
  public void release() {
    columns.clear();
  }

  /** Data bytes of some columns that were never requested. */
  public long unfetched(BitSet ids) {
    return data(ids.stream()).stream().mapToLong(s -> s.length - s.fetched()).sum();
  }
}
