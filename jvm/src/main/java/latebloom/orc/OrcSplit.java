// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import latebloom.orc.encoding.CorruptStreamException;
import latebloom.orc.stripe.OrcColumn;
import latebloom.orc.stripe.SplitContext;
import latebloom.orc.stripe.StripePlace;
import latebloom.orc.stripe.StripeStreams;
import latebloom.read.ConstantColumnCursor;
import latebloom.read.MissingColumns;
import latebloom.read.RowGroup;
import latebloom.read.RowGroups;
import latebloom.read.ScanSpec;
import latebloom.read.io.FileTail;
import latebloom.read.io.RangeFetcher;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.io.StoreSpeed;
import latebloom.read.task.Counter;
import latebloom.read.task.Counters;
import latebloom.read.task.ScanMemory;
import latebloom.read.vector.BlockArrays;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.orc.ColumnStatistics;
import org.apache.orc.CompressionCodec;
import org.apache.orc.StripeInformation;
import org.apache.orc.StripeStatistics;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.OrcCodecPool;
import org.apache.orc.impl.ReaderImpl;
import org.apache.spark.sql.types.StructType;

/**
 * The stripes that begin in one split of an open ORC file. Owns the file from its construction on.
 */
public final class OrcSplit implements RowGroups {
  final ScanSpec spec;
  final OrcColumn[] columns;
  final MissingColumns missing;
  final OrcPruning pruning;
  final SplitContext context;

  /** Ids of the file's columns that make up the wanted columns. */
  final BitSet wanted = new BitSet();

  private final Options options;
  private final FSDataInputStream in;
  private CompressionCodec codec;
  private final Map<Integer, ConstantColumnCursor> constants = new HashMap<>();
  private final boolean noRowPasses;
  private List<StripeStatistics> stripeStatistics;
  private int next;

  /**
   * @param file names the file in messages
   * @param fileLength in bytes
   * @param from offset of the split in the file
   * @param to offset of its end
   * @param metadata what is known of the file's metadata
   * @param skipCorrupt whether orc-core skips corrupt runs of numbers
   */
  public record Options(
      String file, long fileLength, long from, long to, FileTail metadata, boolean skipCorrupt) {}

  /**
   * @param in the file's stream
   * @param columns the columns of {@code spec} as the file has them, in order
   * @param conditions that rows must satisfy; null for none
   */
  public OrcSplit(
      ScanSpec spec,
      ReaderImpl reader,
      FSDataInputStream in,
      Options options,
      List<OrcColumn> columns,
      OrcPruning.Conditions conditions,
      Counters counters)
      throws IOException {
    this.spec = spec;
    this.options = options;
    this.columns = columns.toArray(new OrcColumn[0]);
    this.in = in;
    ScanMemory memory = new ScanMemory(counters);
    RangeFetcher fetcher =
        new RangeFetcher(
            new HadoopBytes(in, options.metadata),
            options.fileLength,
            spec.options().mergeGapBytes(),
            StoreSpeed.of(new Path(options.file).toUri()),
            memory,
            counters);
    this.codec = OrcCodecPool.getCodec(reader.getCompressionKind());
    InStream.StreamOptions compression = InStream.options();
    if (codec != null) {
      compression.withCodec(codec).withBufferSize(reader.getCompressionSize());
    }
    this.context =
        new SplitContext(
            reader, options.skipCorrupt, fetcher, compression, memory, counters, new BlockArrays());
    columns.forEach(c -> Arrays.stream(c.ids()).forEach(wanted::set));
    this.pruning = conditions == null ? null : OrcPruning.of(conditions, columns, reader);
    this.missing =
        new MissingColumns(
            c -> this.columns[c].isMissing(), (c, predicate) -> constant(c).passes(predicate));
    this.noRowPasses = !missing.mayPass(spec.filters().ordered());
  }

  /** Whether a file's statistics may rule out rows by the keys of a join. */
  public static boolean prunesByKeys(ReaderImpl reader) {
    return Statistics.areOfKnownWriter(reader);
  }

  /** A column that the file lacks. */
  ConstantColumnCursor constant(int column) {
    return constants.computeIfAbsent(
        column,
        c -> new ConstantColumnCursor(columns[c].constant(), spec.depth(c), spec.valueType(c)));
  }

  /** What the file says of a flat column in a stripe; null if it cannot be read or trusted. */
  ColumnStatistics statistics(int stripe, int column) {
    OrcColumn c = columns[column];
    boolean flat = !c.isMissing() && c.fileType() != null && spec.depth(column) == 0;
    if (!flat || !prunesByKeys(context.reader())) {
      return null;
    }
    if (stripeStatistics == null) {
      try {
        stripeStatistics = context.reader().getStripeStatistics();
      } catch (IOException | RuntimeException e) {
        // Spark does not read them here.
        stripeStatistics = List.of();
      }
    }
    if (stripe >= stripeStatistics.size()) {
      return null;
    }
    ColumnStatistics[] all = stripeStatistics.get(stripe).getColumnStatistics();
    return c.fileType().getId() < all.length ? all[c.fileType().getId()] : null;
  }

  /** The types of the payload columns as output vectors hold them. */
  public StructType payloadTypes() {
    return new StructType(Arrays.copyOf(spec.columns().fields(), spec.payload()));
  }

  /** Fetches the footer only: it locates everything else. */
  @Override
  public void prefetch(boolean prunes, FirstFetch first) throws IOException {
    if (!context.fetcher().mayPrefetch() || !toNextStripe()) {
      return;
    }
    StripeInformation stripe = context.reader().getStripes().get(next);
    List<WantedRange> ranges = List.of();
    try {
      ranges = List.of(StripeStreams.footerRange(stripe, (array, start, n) -> {}));
    } catch (CorruptStreamException e) {
      // Whoever reads that stripe reports the error.
    }
    context.fetcher().prefetch(ranges);
  }

  @Override
  public RowGroup next() throws IOException {
    if (!toNextStripe()) {
      return null;
    }
    int i = next++;
    StripePlace place = new StripePlace(options.file, i);
    return new OrcStripe(this, place, context.reader().getStripes().get(i));
  }

  /** Moves {@link #next} to a stripe of the split that has rows; false if there is none. */
  private boolean toNextStripe() {
    List<StripeInformation> stripes = context.reader().getStripes();
    for (; next < stripes.size(); next++) {
      StripeInformation s = stripes.get(next);
      if (s.getOffset() < options.from || s.getOffset() >= options.to || s.getNumberOfRows() == 0) {
        continue;
      }
      if (noRowPasses) {
        context.counters().add(Counter.ROW_GROUPS_SKIPPED, 1);
      } else {
        return true;
      }
    }
    return false;
  }

  @Override
  public ScanMemory memory() {
    return context.memory();
  }

  @Override
  public void close() throws IOException {
    context.memory().close();
    try {
      if (codec != null) {
        OrcCodecPool.returnCodec(context.reader().getCompressionKind(), codec);
        codec = null;
      }
    } finally {
      in.close();
      context.reader().close();
    }
  }
}
