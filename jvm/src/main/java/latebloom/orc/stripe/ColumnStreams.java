// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import latebloom.orc.encoding.Calendars;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.selection.Selection;
import latebloom.read.task.RunningTask;
import org.apache.orc.OrcProto;
import org.apache.orc.OrcProto.Stream.Kind;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.PositionProvider;
import org.apache.orc.impl.ReaderImpl;

/**
 * The streams of one wanted column in a stripe, and the strides requested of it. With a row index,
 * fetches only the parts of strides that hold wanted rows; without one, or when all strides are
 * wanted, fetches whole streams. If the column is flat, this is also the source of its decoders.
 */
public final class ColumnStreams implements ColumnSource {
  private final StripeStreams stripe;
  private final RowIndexes indexes;
  private final OrcColumn column;
  private final List<StripeStream> streams;
  private final BitSet strides = new BitSet();
  private boolean whole;
  private boolean indexed;
  private boolean planned = true;
  private int generation;

  public ColumnStreams(StripeStreams stripe, RowIndexes indexes, OrcColumn column) {
    this.stripe = stripe;
    this.indexes = indexes;
    this.column = column;
    this.streams = stripe.data(Arrays.stream(column.ids()));
  }

  public OrcColumn column() {
    return column;
  }

  /** Changes with each further request for strides: streams opened earlier lack those. */
  public int generation() {
    return generation;
  }

  /** Adds the row index if it can spare fetching some of {@code rows}. */
  public void wantIndex(Selection rows, List<WantedRange> ranges) {
    if (!whole && !rows.isNone() && !stripe.strides().allHold(rows)) {
      for (int id : column.ids()) {
        indexes.want(id, Kind.ROW_INDEX, ranges);
      }
    }
  }

  /**
   * Adds the ranges that reading {@code rows} needs and that were not fetched before.
   *
   * @param dictionaryFirst whether to add the dictionary only; the rest is fetched when a decoder
   *     opens it
   */
  public void want(Selection rows, boolean dictionaryFirst, List<WantedRange> ranges) {
    addStrides(rows);
    if (!dictionaryFirst) {
      plan(ranges);
      return;
    }
    for (StripeStream s : streams) {
      if (stripe.isDictionary(s.column, s.kind)) {
        s.want(0, s.length, ranges);
      }
    }
  }

  private void addStrides(Selection rows) {
    if (whole || rows.isNone()) {
      return;
    }
    int before = strides.cardinality();
    indexed = indexes.hasAll(column.ids());
    whole = !indexed || stripe.strides().allHold(rows);
    if (!whole) {
      stripe.strides().addHolding(rows, strides);
    }
    if (whole || strides.cardinality() > before) {
      planned = false;
      generation++;
    }
  }

  /** Adds the ranges that the requested rows need and that were not fetched before. */
  private void plan(List<WantedRange> ranges) {
    if (planned) {
      return;
    }
    planned = true;
    for (StripeStream s : streams) {
      if (whole || stripe.isDictionary(s.column, s.kind)) {
        s.want(0, s.length, ranges);
        continue;
      }
      for (int from = strides.nextSetBit(0); from >= 0; ) {
        int to = strides.nextClearBit(from);
        RunningTask.checkNotKilled();
        int start = indexes.start(s, from);
        int end = indexes.end(s, to);
        // A stride without values begins at the stream's end, which a cursor must be able to reach.
        s.want(start == s.length && start > 0 ? start - 1 : start, end, ranges);
        from = strides.nextSetBit(to);
      }
    }
  }

  /** Whether the bytes fetched may hold so many values of a type of the reader's schema. */
  public boolean canHold(TypeDescription read, long values) {
    TypeDescription inFile = column.evolution().getFileType(read);
    return inFile == null || new StreamCapacity(stripe).canHold(inFile, values);
  }

  /** Bytes of all its streams in the stripe. */
  public long bytes() {
    return streams.stream().mapToLong(s -> s.length).sum();
  }

  /** How many strides were requested. */
  public int stridesWanted() {
    return whole ? stripe.strides().count() : strides.cardinality();
  }

  // ---- as decoders see it

  private int id() {
    return column.fileType().getId();
  }

  @Override
  public Strides strides() {
    Strides all = stripe.strides();
    return indexed ? all : Strides.none(all.rows());
  }

  /** Whether the stripe's footer has the encoding; a damaged one may lack it. */
  public boolean hasEncoding() {
    return stripe.hasEncoding(id());
  }

  @Override
  public OrcProto.ColumnEncoding encoding() {
    return stripe.encoding(id());
  }

  @Override
  public Calendars calendars() {
    ReaderImpl file = stripe.split.reader();
    return new Calendars(
        stripe.writerTimezone(),
        file.writerUsedProlepticGregorian(),
        file.getConvertToProlepticGregorian());
  }

  @Override
  public boolean has(Kind kind) {
    return stripe.has(id(), kind);
  }

  @Override
  public InStream open(Kind kind) throws IOException {
    if (!stripe.isDictionary(id(), kind)) {
      List<WantedRange> ranges = new ArrayList<>();
      plan(ranges);
      stripe.split.fetcher().fetch(ranges);
    }
    return stripe.open(id(), kind);
  }

  @Override
  public PositionProvider positions(int stride) {
    return indexes.position(id(), stride);
  }

  /** As {@link #positions}, for all file columns that make up this one, by their ids. */
  public PositionProvider[] allPositions(int stride) {
    return indexes.positions(column.ids(), stride);
  }
}
