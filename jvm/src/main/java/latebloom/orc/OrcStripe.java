// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import latebloom.orc.flat.OrcColumns;
import latebloom.orc.flat.StripeColumn;
import latebloom.orc.stripe.ColumnStreams;
import latebloom.orc.stripe.OrcColumn;
import latebloom.orc.stripe.RowIndexes;
import latebloom.orc.stripe.SplitContext;
import latebloom.orc.stripe.StripePlace;
import latebloom.orc.stripe.StripeStreams;
import latebloom.orc.tree.TreeColumnCursor;
import latebloom.orc.tree.TreeStreams;
import latebloom.read.ColumnCursor;
import latebloom.read.DistinctRows;
import latebloom.read.RowGroup;
import latebloom.read.RowNumberCursor;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.CompiledPredicate;
import latebloom.read.selection.Selection;
import latebloom.read.task.Counter;
import org.apache.orc.ColumnStatistics;
import org.apache.orc.OrcProto.Stream.Kind;
import org.apache.orc.StripeInformation;
import org.apache.spark.sql.types.DataType;

/**
 * Filters and selects the rows of one stripe, by a reader for each column, created and fed on
 * demand. Reads the stripe's bytes within {@link StripePlace#read} only.
 */
final class OrcStripe implements RowGroup {
  private final StripePlace place;
  private final OrcSplit split;
  private final SplitContext context;
  private final StripeStreams streams;
  private final RowIndexes indexes;
  private final TreeStreams treeStreams;

  /** By column; null until the column is asked for. */
  private final ColumnReader[] readers;

  OrcStripe(OrcSplit split, StripePlace place, StripeInformation info) throws IOException {
    this.place = place;
    this.split = split;
    this.context = split.context;
    this.streams = place.read("footer", () -> new StripeStreams(context, info));
    this.indexes = new RowIndexes(streams);
    this.treeStreams = new TreeStreams(streams, context.reader());
    this.readers = new ColumnReader[split.columns.length];
  }

  @Override
  public int rows() {
    return streams.strides().rows();
  }

  @Override
  public long firstRow() {
    return context.reader().getStripes().subList(0, place.stripe()).stream()
        .mapToLong(StripeInformation::getNumberOfRows)
        .sum();
  }

  @Override
  public Selection prune() throws IOException {
    return split.pruning == null
        ? Selection.all(rows())
        : place.read("row indexes", () -> split.pruning.rows(streams, indexes));
  }

  /**
   * Decides by the predicate alone, or by a footer without nulls, which the decoders follow as
   * well. Statistics prove nothing here: Spark keeps no row because of them.
   */
  @Override
  public boolean allPass(int column, ColumnPredicate predicate) throws IOException {
    return place.read(part(column), () -> covers(predicate, column));
  }

  @Override
  public Extremes extremes(int index) throws IOException {
    ColumnStatistics stats = split.statistics(place.stripe(), index);
    return stats == null ? null : Statistics.extremes(stats, split.columns[index], rows());
  }

  @Override
  public long nulls(int index) throws IOException {
    ColumnStatistics stats = split.statistics(place.stripe(), index);
    return stats == null ? -1 : rows() - stats.getNumberOfValues();
  }

  /**
   * The dictionary's entries: the Java writer of ORC, the only one whose null counts are known,
   * builds it from the values that it writes.
   */
  @Override
  public DistinctRows.Values distinct(int index, long nulls) throws IOException {
    return place.read(
        part(index),
        () -> {
          ColumnReader reader = reader(index);
          if (!reader.hasDictionary()) {
            return null;
          }
          List<WantedRange> ranges = new ArrayList<>();
          reader.streams().want(Selection.none(rows()), true, ranges);
          context.fetcher().fetch(ranges);
          return reader.distinct(rows() - nulls, nulls > 0);
        });
  }

  /** The name of a column in messages. */
  private String part(int column) {
    return "column " + split.columns[column].field().name();
  }

  private boolean covers(ColumnPredicate predicate, int index) throws IOException {
    OrcColumn column = split.columns[index];
    if (predicate instanceof CompiledPredicate) {
      return false;
    }
    if (column.isMissing()) {
      return split.missing.pass(index, predicate);
    }
    boolean flat = split.spec.depth(index) == 0 && column.fileType() != null;
    return flat
        && (predicate.nullPasses() || !streams.has(column.fileType().getId(), Kind.PRESENT))
        && predicate.allValuesPass();
  }

  private ColumnReader reader(int column) {
    if (readers[column] == null) {
      readers[column] = newReader(column);
    }
    return readers[column];
  }

  private ColumnReader newReader(int column) {
    OrcColumn c = split.columns[column];
    ColumnStreams own = new ColumnStreams(streams, indexes, c);
    if (c.isMissing()) {
      boolean numbers = RowNumberCursor.isFor(c.field());
      return new ColumnReader.Missing(
          own, numbers ? new RowNumberCursor(firstRow()) : split.constant(column));
    }
    int depth = split.spec.depth(column);
    boolean payload = column < split.spec.payload();
    // A missing encoding is left to orc-core's reader, which reports it when values are read.
    if (c.fileType() != null && depth == 0 && own.hasEncoding()) {
      StripeColumn flat =
          new StripeColumn(own, c.fileType(), c.field().dataType(), payload, context);
      if (OrcColumns.isFlat(flat)) {
        return new ColumnReader.Flat(own, flat);
      }
    }
    DataType type = split.spec.valueType(column);
    return new ColumnReader.Tree(
        own,
        () ->
            new TreeColumnCursor(
                context, own, treeStreams, depth, type, split.spec.options().batchRows()));
  }

  @Override
  public long bytes(int column) throws IOException {
    return place.read(part(column), () -> reader(column).streams().bytes());
  }

  @Override
  public long roundTripBytes() {
    return context.fetcher().roundTripBytes();
  }

  @Override
  public void fetch(List<Need> needs) throws IOException {
    place.read(
        "streams",
        () -> {
          fetchStreams(needs);
          return null;
        });
  }

  private void fetchStreams(List<Need> needs) throws IOException {
    List<WantedRange> ranges = new ArrayList<>();
    for (Need need : needs) {
      reader(need.column()).streams().wantIndex(need.rows(), ranges);
    }
    context.fetcher().fetchMetadata(ranges);
    ranges.clear();
    for (Need need : needs) {
      ColumnReader reader = reader(need.column());
      reader.streams().want(need.rows(), need.filter() && reader.hasDictionary(), ranges);
    }
    context.fetcher().fetch(ranges);
  }

  @Override
  public ColumnCursor cursor(int column, int use, Selection rows) throws IOException {
    ColumnCursor cursor = place.read(part(column), () -> reader(column).cursor(use, rows));
    return new ColumnCursor.Counted(
        new PlacedColumn(place, part(column), cursor), column, use, false, context.counters());
  }

  @Override
  public DataType heldType(int column) {
    return split.spec.valueType(column);
  }

  @Override
  public void release() {
    context.counters().add(Counter.BYTES_AVOIDED, streams.unfetched(split.wanted));
    for (int c = 0; c < readers.length; c++) {
      if (!split.columns[c].isMissing()) {
        int read = readers[c] == null ? 0 : readers[c].streams().stridesWanted();
        context.counters().add(Counter.PAGES_READ, read);
        context.counters().add(Counter.PAGES_SKIPPED, streams.strides().count() - read);
      }
    }
    streams.release();
    context.fetcher().released();
  }
}
