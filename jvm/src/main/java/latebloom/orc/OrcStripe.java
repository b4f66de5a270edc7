// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import latebloom.orc.encoding.CorruptStreamException;
import latebloom.orc.flat.OrcColumns;
import latebloom.orc.stripe.Strides;
import latebloom.read.ColumnCursor;
import latebloom.read.ConstantColumnCursor;
import latebloom.read.RowGroup;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.io.RangeFetcher;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.CompiledPredicate;
import latebloom.read.selection.Selection;
import latebloom.read.task.Counter;
import org.apache.orc.OrcProto.Stream.Kind;
import org.apache.orc.OrcProto;
import org.apache.orc.StripeInformation;
import org.apache.orc.impl.BufferChunk;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.RecordReaderUtils;
import org.apache.orc.impl.StreamName;
import org.apache.spark.sql.types.DataType;

/** One stripe: its streams and row indexes, fetched as they are needed. */
final class OrcStripe implements RowGroup {
  private final OrcSplit split;
  private final StripeInformation info;
  private final int rows;
  private final Strides strides;
  private final OrcProto.StripeFooter footer;
  private final Map<StreamName, StripeStream> streams = new LinkedHashMap<>();
  private final RowIndexes indexes;
  private final Map<Integer, ColumnStreams> columns = new HashMap<>();
  private final Map<Integer, Optional<FlatStreams>> flat = new HashMap<>();
  private final Map<Use, FlatCursor> flatCursors = new HashMap<>();
  private final Map<Use, TreeColumnCursor> treeCursors = new HashMap<>();
  private final TreeStreams treeStreams;

  private record Use(int column, int use) {}

  /** A cursor over what had been asked for by some generation of the column's streams. */
  private record FlatCursor(ColumnCursor column, int generation) {}

  OrcStripe(OrcSplit split, StripeInformation info) throws IOException {
    this.split = split;
    this.info = info;
    this.rows = Math.toIntExact(info.getNumberOfRows());
    this.strides = Strides.of(rows, split.reader.getRowIndexStride());
    this.footer = readFooter();
    findStreams();
    this.indexes = new RowIndexes(this, split);
    this.treeStreams = new TreeStreams(this, split.reader);
  }

  /** Where the footer of a stripe lies. */
  static WantedRange footerRange(StripeInformation info, RangeFetcher.Receiver receiver) {
    long offset = info.getOffset();
    long index = info.getIndexLength();
    long data = info.getDataLength();
    long length = info.getFooterLength();
    boolean possible =
        offset >= 0
            && index >= 0
            && index <= Long.MAX_VALUE - offset
            && data >= 0
            && data <= Long.MAX_VALUE - offset - index
            && length >= 0
            && length <= Integer.MAX_VALUE;
    if (!possible) {
      throw new CorruptStreamException(
          "it is said to lie at byte " + offset + ", with " + index + " bytes of indexes, " + data
              + " of data and a footer of " + length);
    }
    return new WantedRange(offset + index + data, (int) length, receiver);
  }

  private OrcProto.StripeFooter readFooter() throws IOException {
    BufferChunk[] fetched = new BufferChunk[1];
    WantedRange range =
        footerRange(
            info,
            (array, start, n) ->
                fetched[0] = new BufferChunk(ByteBuffer.wrap(array, start, n).slice(), 0));
    split.fetcher.fetch(List.of(range));
    InStream in = InStream.create("footer", fetched[0], 0, range.length(), split.compression);
    try {
      return OrcProto.StripeFooter.parseFrom(InStream.createCodedInputStream(in));
    } catch (IOException e) {
      throw new CorruptStreamException("footer: " + e.getMessage(), e);
    }
  }

  /**
   * All streams of indexes come before all streams of data, each kind in the footer's order. What stands
   * for streams that are encrypted takes no place.
   */
  private void findStreams() {
    long at = info.getOffset();
    for (StreamName.Area area : List.of(StreamName.Area.INDEX, StreamName.Area.DATA)) {
      for (OrcProto.Stream s : footer.getStreamsList()) {
        if (s.hasKind() && (StreamName.getArea(s.getKind()) != area || isPlaceholder(s.getKind()))) {
          continue;
        }
        if (s.hasKind()) {
          streams.put(
              new StreamName(s.getColumn(), s.getKind()),
              new StripeStream(s.getColumn(), s.getKind(), at, s.getLength()));
        }
        at += s.getLength();
      }
    }
  }

  private static boolean isPlaceholder(Kind kind) {
    return kind == Kind.ENCRYPTED_INDEX || kind == Kind.ENCRYPTED_DATA;
  }

  // ---- what it has

  @Override
  public int rows() {
    return rows;
  }

  OrcProto.ColumnEncoding encoding(int column) {
    if (column >= footer.getColumnsCount()) {
      throw new CorruptStreamException(
          "the footer has no encoding of column " + column + " of " + footer.getColumnsCount());
    }
    return footer.getColumns(column);
  }

  String writerTimezone() {
    return footer.getWriterTimezone();
  }

  boolean has(int column, Kind kind) {
    return streams.containsKey(new StreamName(column, kind));
  }

  RowIndexes indexes() {
    return indexes;
  }

  /** Null if the stripe has no such stream. */
  StripeStream stream(int column, Kind kind) {
    return streams.get(new StreamName(column, kind));
  }

  /** A cursor over what was fetched of a stream; null if the stripe has no such stream. */
  InStream open(int column, Kind kind) {
    StripeStream s = stream(column, kind);
    if (s == null) {
      return null;
    }
    if (split.compression.isCompressed()) {
      split.memory.hold(split.compression.getBufferSize());
    }
    return s.open(split.compression);
  }

  /** The streams of a column that are not of indexes. */
  List<StripeStream> dataStreams(int... columns) {
    List<StripeStream> data = new ArrayList<>();
    for (StripeStream s : streams.values()) {
      if (StreamName.getArea(s.kind) == StreamName.Area.DATA
          && Arrays.binarySearch(columns, s.column) >= 0) {
        data.add(s);
      }
    }
    return data;
  }

  boolean isDictionary(StripeStream s) {
    return isDictionary(s.column, s.kind);
  }

  boolean isDictionary(int column, Kind kind) {
    return RecordReaderUtils.isDictionary(kind, encoding(column));
  }

  Strides strides() {
    return strides;
  }

  // ---- the scan

  @Override
  public Selection prune() throws IOException {
    return split.pruning == null ? Selection.all(rows) : split.pruning.rows(this);
  }

  /**
   * By what the predicate is, and by a footer without nulls, which decoders go by as well. Statistics
   * prove nothing: Spark lets no row pass by them.
   */
  @Override
  public boolean allPass(int index, ColumnPredicate predicate) throws IOException {
    OrcColumn column = split.columns[index];
    if (predicate instanceof CompiledPredicate) {
      return false;
    }
    if (column.isMissing()) {
      return split.constant(index).passes(predicate);
    }
    boolean flat = split.spec.depth(index) == 0 && column.fileType() != null;
    if (!flat || !predicate.nullPasses() && has(column.fileType().getId(), Kind.PRESENT)) {
      return false;
    }
    if (predicate instanceof ColumnPredicate.Bytes bytes) {
      return bytes.predicate().isAll();
    }
    return predicate instanceof ColumnPredicate.Longs longs && longs.ranges().isAll();
  }

  @Override
  public long bytes(int column) {
    return columnStreams(column).bytes();
  }

  @Override
  public long roundTripBytes() {
    return split.fetcher.roundTripBytes();
  }

  @Override
  public void fetch(List<Need> needs) throws IOException {
    List<WantedRange> ranges = new ArrayList<>();
    for (Need need : needs) {
      ColumnStreams c = columnStreams(need.column());
      if (c.wantsIndex(need.rows())) {
        c.wantIndex(ranges);
      }
    }
    split.fetcher.fetch(ranges);
    ranges.clear();
    for (Need need : needs) {
      ColumnStreams c = columnStreams(need.column());
      c.want(need.rows());
      if (need.filter() && hasDictionary(need.column())) {
        c.planDictionary(ranges);
      } else {
        c.plan(ranges);
      }
    }
    split.fetcher.fetch(ranges);
  }

  /** Fetches what was asked for of a column and put off. */
  void fetchPlanned(ColumnStreams c) throws IOException {
    List<WantedRange> ranges = new ArrayList<>();
    c.plan(ranges);
    split.fetcher.fetch(ranges);
  }

  private boolean hasDictionary(int column) {
    return flat(column).map(FlatStreams::hasDictionary).orElse(false);
  }

  /** The column if we decode it in this stripe; else orc-core's reader does. */
  private Optional<FlatStreams> flat(int column) {
    return flat.computeIfAbsent(
        column,
        k -> {
          OrcColumn c = split.columns[k];
          return c.fileType() == null || split.spec.depth(k) > 0
              ? Optional.empty()
              : Optional.of(
                      new FlatStreams(this, split, c, columnStreams(k), k < split.spec.payload()))
                  .filter(OrcColumns::isFlat);
        });
  }

  private ColumnStreams columnStreams(int column) {
    return columns.computeIfAbsent(
        column,
        k -> {
          OrcColumn c = split.columns[k];
          return new ColumnStreams(this, c, dataStreams(c.ids));
        });
  }

  @Override
  public ColumnCursor cursor(int column, int use, Selection rows) throws IOException {
    if (split.columns[column].isMissing()) {
      return split.constant(column);
    }
    Use key = new Use(column, use);
    ColumnStreams streams = columnStreams(column);
    if (flat(column).isPresent()) {
      FlatCursor c = flatCursors.get(key);
      if (c == null || c.generation != streams.generation()) {
        c = new FlatCursor(OrcColumns.flat(flat(column).get()), streams.generation());
        flatCursors.put(key, c);
      }
      return c.column;
    }
    TreeColumnCursor c =
        treeCursors.computeIfAbsent(
            key, k -> new TreeColumnCursor(this, split, column, streams, treeStreams));
    c.start(rows);
    return c;
  }

  @Override
  public DataType heldType(int column) {
    return split.spec.valueType(column);
  }

  @Override
  public void release() {
    long avoided = 0;
    for (StripeStream s : streams.values()) {
      if (split.reads(s.column) && StreamName.getArea(s.kind) == StreamName.Area.DATA) {
        avoided += s.length - s.fetched();
      }
    }
    split.counters.add(Counter.BYTES_AVOIDED, avoided);
    for (int c = 0; c < split.columns.length; c++) {
      if (!split.columns[c].isMissing()) {
        int read = columns.containsKey(c) ? columns.get(c).stridesWanted() : 0;
        split.counters.add(Counter.PAGES_READ, read);
        split.counters.add(Counter.PAGES_SKIPPED, strides.count() - read);
      }
    }
    streams.clear();
    columns.clear();
    flat.clear();
    flatCursors.clear();
    treeCursors.clear();
    split.fetcher.released();
  }
}
