// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import latebloom.orc.encoding.CorruptStreamException;
import latebloom.read.ConstantColumnCursor;
import latebloom.read.RowGroup;
import latebloom.read.RowGroups;
import latebloom.read.ScanFilter;
import latebloom.read.ScanSpec;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.io.RangeFetcher;
import latebloom.read.io.StoreSpeed;
import latebloom.read.predicate.CompiledPredicate;
import latebloom.read.task.Counter;
import latebloom.read.task.Counters;
import latebloom.read.task.ScanMemory;
import latebloom.read.vector.BlockArrays;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.orc.CompressionCodec;
import org.apache.orc.StripeInformation;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.OrcCodecPool;
import org.apache.orc.impl.ReaderImpl;
import org.apache.orc.impl.TreeReaderFactory;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The stripes of one split of an ORC file, opened: those that begin in it. Owns the file from its
 * construction on.
 */
public final class OrcSplit implements RowGroups {
  final ScanSpec spec;
  final ReaderImpl reader;
  final OrcColumn[] columns;
  final RangeFetcher fetcher;
  final InStream.StreamOptions compression;
  final OrcPruning pruning;
  final ScanMemory memory;
  final Counters counters;
  final BlockArrays blocks = new BlockArrays();

  private final Options options;
  private final FSDataInputStream in;
  private CompressionCodec codec;
  private final BitSet wanted = new BitSet();
  private final Map<Integer, ConstantColumnCursor> constants = new HashMap<>();
  private final boolean noRowPasses;
  private int next;

  /**
   * @param file names the file in messages
   * @param fileLength in bytes
   * @param from offset of the split in the file
   * @param to offset of its end
   * @param skipCorrupt whether orc-core is to skip corrupt runs of numbers
   */
  public record Options(String file, long fileLength, long from, long to, boolean skipCorrupt) {}

  /**
   * @param in the file's stream
   * @param columns the columns of {@code spec} as the file has them, in order
   * @param sarg what rows must satisfy; null for nothing
   */
  public OrcSplit(
      ScanSpec spec,
      ReaderImpl reader,
      FSDataInputStream in,
      Options options,
      List<OrcColumn> columns,
      SearchArgument sarg,
      Counters counters)
      throws IOException {
    this.spec = spec;
    this.reader = reader;
    this.options = options;
    this.columns = columns.toArray(new OrcColumn[0]);
    this.counters = counters;
    this.memory = new ScanMemory(counters);
    this.in = in;
    this.fetcher =
        new RangeFetcher(
            new HadoopBytes(in),
            options.fileLength,
            spec.options().mergeGapBytes(),
            StoreSpeed.of(new Path(options.file).toUri()),
            memory,
            counters);
    this.codec = OrcCodecPool.getCodec(reader.getCompressionKind());
    this.compression = InStream.options();
    if (codec != null) {
      compression.withCodec(codec).withBufferSize(reader.getCompressionSize());
    }
    for (OrcColumn c : columns) {
      for (int id : c.ids) {
        wanted.set(id);
      }
    }
    this.pruning = sarg == null ? null : OrcPruning.of(sarg, columns, reader);
    this.noRowPasses = !missingColumnsPass();
  }

  /** Whether the statistics of a file may rule out rows by the keys of a join. */
  public static boolean prunesByKeys(ReaderImpl reader) {
    return Statistics.areOfKnownWriter(reader);
  }

  /** Whether no condition is known to be false of the one value that a missing column has. */
  private boolean missingColumnsPass() {
    for (ScanFilter f : spec.filters()) {
      if (f instanceof ScanFilter.ColumnFilter one
          && columns[one.column()].isMissing()
          && !(one.predicate() instanceof CompiledPredicate)
          && !constant(one.column()).passes(one.predicate())) {
        return false;
      }
    }
    return true;
  }

  /** A column that the file lacks. */
  ConstantColumnCursor constant(int column) {
    return constants.computeIfAbsent(
        column,
        c -> new ConstantColumnCursor(columns[c].constant, spec.depth(c), spec.valueType(c)));
  }

  /** How orc-core's own readers are to read a column. */
  TreeReaderFactory.Context context(OrcColumn column) {
    return new TreeReaderFactory.ReaderContext()
        .setSchemaEvolution(column.evolution)
        .skipCorrupt(options.skipCorrupt)
        .fileFormat(reader.getFileVersion())
        .setProlepticGregorian(
            reader.writerUsedProlepticGregorian(), reader.getConvertToProlepticGregorian())
        .setEncryption(reader.getEncryption());
  }

  /** The payload columns as the output vectors must hold them. */
  public StructType payloadTypes() {
    StructType types = new StructType();
    for (int p = 0; p < spec.payload(); p++) {
      StructField f = spec.column(p);
      types = types.add(f.name(), f.dataType(), f.nullable(), f.metadata());
    }
    return types;
  }

  /** Whether a column of the file belongs to a wanted one. */
  boolean reads(int id) {
    return id >= 0 && wanted.get(id);
  }

  /** The footer only: it says where all else lies. */
  @Override
  public void prefetch(boolean prunes, FirstFetch first) throws IOException {
    if (!fetcher.mayPrefetch() || !toNextStripe()) {
      return;
    }
    StripeInformation stripe = reader.getStripes().get(next);
    List<WantedRange> ranges = List.of();
    try {
      ranges = List.of(OrcStripe.footerRange(stripe, (array, start, n) -> {}));
    } catch (CorruptStreamException e) {
      // It will be an error for who reads that stripe.
    }
    fetcher.prefetch(ranges);
  }

  @Override
  public RowGroup next() throws IOException {
    if (!toNextStripe()) {
      return null;
    }
    int i = next++;
    StripePlace place = new StripePlace(options.file, i);
    OrcStripe stripe =
        place.read("footer", () -> new OrcStripe(this, reader.getStripes().get(i)));
    return new PlacedStripe(place, stripe, columns);
  }

  /** Moves {@link #next} to a stripe of the split that has rows; false if there is none. */
  private boolean toNextStripe() {
    List<StripeInformation> stripes = reader.getStripes();
    for (; next < stripes.size(); next++) {
      StripeInformation s = stripes.get(next);
      if (s.getOffset() < options.from
          || s.getOffset() >= options.to
          || s.getNumberOfRows() == 0) {
        continue;
      }
      if (noRowPasses) {
        counters.add(Counter.ROW_GROUPS_SKIPPED, 1);
      } else {
        return true;
      }
    }
    return false;
  }

  @Override
  public ScanMemory memory() {
    return memory;
  }

  @Override
  public void close() throws IOException {
    memory.close();
    try {
      if (codec != null) {
        OrcCodecPool.returnCodec(reader.getCompressionKind(), codec);
        codec = null;
      }
    } finally {
      in.close();
      reader.close();
    }
  }
}
