// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.footer.ParquetBytes;
import latebloom.parquet.footer.TrustedStatistics;
import latebloom.parquet.page.Decompressor;
import latebloom.parquet.page.PageReader;
import latebloom.parquet.page.SelectedPages;
import latebloom.parquet.page.SplitContext;
import latebloom.parquet.types.Calendars;
import latebloom.read.MissingColumns;
import latebloom.read.RowGroup;
import latebloom.read.RowGroups;
import latebloom.read.RowNumberCursor;
import latebloom.read.ScanSpec;
import latebloom.read.io.FileTail;
import latebloom.read.io.RangeFetcher;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.io.StoreSpeed;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.selection.Selection;
import latebloom.read.task.Counter;
import latebloom.read.task.Counters;
import latebloom.read.task.ScanMemory;
import latebloom.read.vector.BlockArrays;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.CorruptDeltaByteArrays;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.FileMetaData;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The row groups of one split of an open Parquet file. Knows which of the wanted columns the file
 * has and which reader decodes each. Owns the file from its construction on.
 */
public final class ParquetSplit implements RowGroups {
  final ScanSpec spec;
  final WantedColumn[] columns;
  final MissingColumns missing;
  final TrustedStatistics trusted;
  final SplitContext context;

  /** How many readers each column has: the payload and the filters. */
  final int[] uses;

  private final ParquetFileReader reader;
  private final MessageType schema;
  private final Decompressor decompressor;
  private final SparkReader.Context spark;
  private final ColumnIndexPruning columnIndex;
  private final List<SparkReader> sparkReaders = new ArrayList<>();
  private final Map<Integer, Map<Integer, SparkReader>> byUse = new HashMap<>();
  private final Set<String> topLevel = new HashSet<>();
  private final boolean noRowPasses;
  private int next;
  private ParquetRowGroup ahead;

  /**
   * An open file.
   *
   * @param reader with the row group filter applied; supplies row groups and indexes
   * @param in the file's stream, which {@code reader} closes
   * @param tail the fetched end of the file
   * @param length in bytes
   */
  public record OpenFile(
      ParquetFileReader reader,
      ParquetReadOptions options,
      SeekableInputStream in,
      FileTail tail,
      long length) {}

  /**
   * @param parquet the columns of {@code spec} as Spark resolves them in this file, in order
   * @param columnIndexFilter the pushed predicate, for page pruning; null for none
   * @param calendars of the file's dates and timestamps
   */
  public ParquetSplit(
      ScanSpec spec,
      OpenFile file,
      List<ParquetColumn> parquet,
      FilterPredicate columnIndexFilter,
      Calendars calendars,
      SparkReader.Context spark,
      Counters counters)
      throws IOException {
    this.spec = spec;
    this.reader = file.reader;
    this.spark = spark;
    FileMetaData meta = reader.getFileMetaData();
    this.schema = meta.getSchema();
    this.trusted = TrustedStatistics.of(meta.getCreatedBy());
    this.decompressor = new Decompressor(file.options.getCodecFactory());
    this.context = context(spec, file, decompressor, counters);
    this.columnIndex =
        columnIndexFilter == null || !file.options.useColumnIndexFilter()
            ? null
            : new ColumnIndexPruning(schema, columnIndexFilter);
    this.columns = new WantedColumn[spec.columnCount()];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = WantedColumn.of(spec, i, parquet.get(i), schema, calendars);
      topLevel.add(columns[i].topLevel());
    }
    this.uses = new int[columns.length];
    for (int p = 0; p < spec.payload(); p++) {
      uses[p]++;
    }
    spec.filters().ordered().forEach(f -> f.forEachColumn(c -> uses[c]++));
    this.missing = new MissingColumns(c -> columns[c].missing(), this::constantPasses);
    this.noRowPasses = !missing.mayPass(spec.filters().ordered());
  }

  private static SplitContext context(
      ScanSpec spec, OpenFile file, Decompressor decompressor, Counters counters) {
    String name = file.reader.getFile();
    boolean chainsPages =
        CorruptDeltaByteArrays.requiresSequentialReads(
            file.reader.getFileMetaData().getCreatedBy(), Encoding.DELTA_BYTE_ARRAY);
    ScanMemory memory = new ScanMemory(counters);
    RangeFetcher fetcher =
        new RangeFetcher(
            new ParquetBytes(file.in, ParquetBytes.mayBeVectored(file.options), file.tail),
            file.length,
            spec.options().mergeGapBytes(),
            StoreSpeed.of(new Path(name).toUri()),
            memory,
            counters);
    PageReader pages =
        new PageReader(decompressor, file.options.usePageChecksumVerification(), memory);
    return new SplitContext(name, chainsPages, fetcher, pages, memory, counters, new BlockArrays());
  }

  /** Spark's reader makes the value: null, or the column's default. */
  private boolean constantPasses(int column, ColumnPredicate predicate) throws IOException {
    try (SparkReader probe = SparkReader.open(spark, columns[column].field())) {
      SparkColumnCursor constant =
          new SparkColumnCursor(
              probe,
              spec.depth(column),
              rows -> new SelectedPages(Map.of(), rows, 0, context.pages()));
      constant.start(Selection.all(1));
      return !constant.filter(Selection.all(1), predicate.cursor()).isNone();
    }
  }

  /** The types of the payload columns as output vectors hold them. */
  public StructType payloadTypes() throws IOException {
    StructType types = new StructType();
    for (int p = 0; p < spec.payload(); p++) {
      StructField f = columns[p].field();
      types = types.add(f.name(), heldType(p), f.nullable(), f.metadata());
    }
    return types;
  }

  /** The type of the vector that holds a column's values. */
  DataType heldType(int column) throws IOException {
    return columns[column].ours() || RowNumberCursor.isFor(columns[column].field())
        ? spec.valueType(column)
        : SparkColumnCursor.heldType(sparkReader(column, RowGroup.PAYLOAD), spec.depth(column));
  }

  /** Spark's reader of a column, one per use. */
  SparkReader sparkReader(int column, int use) throws IOException {
    Map<Integer, SparkReader> ofColumn = byUse.computeIfAbsent(column, c -> new HashMap<>());
    SparkReader r = ofColumn.get(use);
    if (r == null) {
      r = SparkReader.open(spark, columns[column].field());
      ofColumn.put(use, r);
      sparkReaders.add(r);
    }
    return r;
  }

  /** Drops a reader that stopped inside a row group; the next use opens another. */
  void dropSparkReader(int column, int use) {
    byUse.get(column).remove(use);
  }

  @Override
  public void prefetch(boolean prunes, FirstFetch first) throws IOException {
    if (ahead != null || !context.fetcher().mayPrefetch()) {
      return;
    }
    ahead = nextRowGroup();
    List<WantedRange> ranges = List.of();
    try {
      ranges = ahead == null ? ranges : ahead.firstRanges(prunes, first);
    } catch (CorruptPageException | IOException e) {
      // Whoever reads that row group reports the error.
    }
    context.fetcher().prefetch(ranges);
  }

  @Override
  public RowGroup next() throws IOException {
    ParquetRowGroup group = ahead == null ? nextRowGroup() : ahead;
    ahead = null;
    return group;
  }

  private ParquetRowGroup nextRowGroup() throws IOException {
    List<BlockMetaData> blocks = reader.getRowGroups();
    if (noRowPasses) {
      context.counters().add(Counter.ROW_GROUPS_SKIPPED, blocks.size() - next);
      next = blocks.size();
    }
    if (next == 0 && !blocks.isEmpty()) {
      checkRowCounts(blocks);
      // Ours as well: what Spark reads as what differs from line to line.
      for (WantedColumn c : columns) {
        spark.checkReadable(c.parquet(), schema);
      }
    }
    while (next < blocks.size()) {
      int i = next++;
      if (blocks.get(i).getRowCount() > 0) {
        return new ParquetRowGroup(this, blocks.get(i), i);
      }
    }
    return null;
  }

  /** Rejects row counts that Spark would sum, even negative ones, and so stop at the sum. */
  private void checkRowCounts(List<BlockMetaData> blocks) {
    for (int i = 0; i < blocks.size(); i++) {
      if (blocks.get(i).getRowCount() < 0) {
        throw new CorruptPageException(
            "corrupt Parquet file "
                + context.file()
                + ": row group "
                + i
                + " has "
                + blocks.get(i).getRowCount()
                + " rows");
      }
    }
  }

  @Override
  public ScanMemory memory() {
    return context.memory();
  }

  /** Pruning by the minima and maxima of pages; null without a predicate or a trusted index. */
  ColumnIndexPruning columnIndex() {
    return columnIndex;
  }

  /** The leaves of the file that Spark would read. */
  Set<ColumnDescriptor> leaves() {
    Set<ColumnDescriptor> leaves = new LinkedHashSet<>();
    for (WantedColumn c : columns) {
      c.addLeaves(schema, leaves);
    }
    return leaves;
  }

  /** The leaves of a column that Spark's reader decodes. */
  List<ColumnDescriptor> leaves(int column, int use) throws IOException {
    return columns[column].missing() ? List.of() : sparkReader(column, use).leaves();
  }

  /** Whether a leaf of the file belongs to a wanted column. */
  boolean reads(ColumnPath leaf) {
    return topLevel.contains(leaf.toArray()[0]);
  }

  @Override
  public void close() throws IOException {
    try {
      for (SparkReader r : sparkReaders) {
        r.close();
      }
      sparkReaders.clear();
    } finally {
      context.memory().close();
      decompressor.close();
      reader.close();
    }
  }
}
