// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.footer.ParquetBytes;
import latebloom.parquet.footer.TrustedStatistics;
import latebloom.parquet.page.Decompressor;
import latebloom.parquet.page.PageReader;
import latebloom.parquet.page.SelectedPages;
import latebloom.parquet.types.Calendars;
import latebloom.parquet.types.FlatType;
import latebloom.parquet.types.RepeatedType;
import latebloom.read.RowGroup;
import latebloom.read.RowGroups;
import latebloom.read.ScanFilter;
import latebloom.read.ScanSpec;
import latebloom.read.io.FileTail;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.io.RangeFetcher;
import latebloom.read.io.StoreSpeed;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.CompiledPredicate;
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
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The row groups of one split of a Parquet file, opened: which of the wanted columns the file has
 * and who decodes them. Owns the file from its construction on.
 */
public final class ParquetSplit implements RowGroups {
  final ScanSpec spec;
  final String file;
  final RangeFetcher fetcher;
  final PageReader pageReader;
  final ScanMemory memory;
  final Counters counters;
  final BlockArrays blocks = new BlockArrays();
  final Column[] columns;
  final boolean chainsPages;
  final TrustedStatistics trusted;

  /** By how many readers each column is read: the payload and the filters. */
  final int[] uses;

  private final ParquetFileReader reader;
  private final Decompressor decompressor;
  private final SparkReader.Context spark;
  private final ColumnIndexPruning columnIndex;
  private final List<SparkReader> sparkReaders = new ArrayList<>();
  private final Map<Integer, Map<Integer, SparkReader>> byUse = new HashMap<>();
  private final Set<String> topLevel = new HashSet<>();
  private final Map<ColumnPredicate, Boolean> missingPasses = new IdentityHashMap<>();
  private final boolean noRowPasses;
  private int next;
  private ParquetRowGroup ahead;

  /**
   * A wanted column in this file.
   *
   * @param leaf the column of the file, if it is one; null otherwise
   * @param flat how we decode it; null when it is not flat, when Spark's reader decodes it, or when
   *     the file lacks it
   * @param repeated how we decode it if it is a list or map; null otherwise
   * @param missing whether the file lacks it
   */
  record Column(
      StructField field,
      ParquetColumn parquet,
      ColumnDescriptor leaf,
      FlatType flat,
      RepeatedType repeated,
      boolean missing) {

    /** Whether some row group may have it decoded by us. */
    boolean ours() {
      return flat != null || repeated != null;
    }
  }

  /**
   * @param reader opened with the row group filter; supplies row groups and indexes
   * @param in the file's stream, which {@code reader} closes
   * @param tail the file's end
   * @param parquet the columns of {@code spec} as Spark resolves them in this file, in order
   * @param columnIndexFilter the pushed predicate for page pruning; null for none
   * @param calendars how dates and timestamps of the file are to be read
   */
  public ParquetSplit(
      ScanSpec spec,
      ParquetFileReader reader,
      ParquetReadOptions options,
      SeekableInputStream in,
      FileTail tail,
      long fileLength,
      List<ParquetColumn> parquet,
      FilterPredicate columnIndexFilter,
      Calendars calendars,
      SparkReader.Context spark,
      Counters counters)
      throws IOException {
    this.spec = spec;
    this.reader = reader;
    this.file = reader.getFile();
    this.spark = spark;
    this.counters = counters;
    this.memory = new ScanMemory(counters);
    this.fetcher =
        new RangeFetcher(
            new ParquetBytes(in, options.useHadoopVectoredIo(), tail),
            fileLength,
            spec.options().mergeGapBytes(),
            StoreSpeed.of(new Path(file).toUri()),
            memory,
            counters);
    this.decompressor = new Decompressor(options.getCodecFactory());
    this.pageReader = new PageReader(decompressor, options.usePageChecksumVerification(), memory);
    this.columnIndex =
        columnIndexFilter == null || !options.useColumnIndexFilter()
            ? null
            : new ColumnIndexPruning(
                reader.getFileMetaData().getSchema(), columnIndexFilter);
    this.chainsPages =
        CorruptDeltaByteArrays.requiresSequentialReads(
            reader.getFileMetaData().getCreatedBy(), Encoding.DELTA_BYTE_ARRAY);
    this.trusted = TrustedStatistics.of(reader.getFileMetaData().getCreatedBy());
    this.columns = new Column[spec.columnCount()];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = resolve(i, parquet.get(i), calendars);
    }
    this.uses = new int[columns.length];
    for (int p = 0; p < spec.payload(); p++) {
      uses[p]++;
    }
    spec.filters().forEach(f -> f.forEachColumn(c -> uses[c]++));
    this.noRowPasses = !missingColumnsPass();
  }

  private Column resolve(int i, ParquetColumn parquet, Calendars calendars) {
    String name = parquet.path().head();
    topLevel.add(name);
    MessageType file = reader.getFileMetaData().getSchema();
    boolean missing = !file.containsField(name);
    ParquetColumn value = parquet;
    for (int d = spec.depth(i); d > 0; d--) {
      value = value.children().head();
    }
    ColumnDescriptor leaf = value.descriptor().isDefined() ? value.descriptor().get() : null;
    FlatType flat = null;
    if (leaf != null && file.containsPath(leaf.getPath())) {
      flat = FlatType.of(leaf, spec.valueType(i), calendars);
    }
    RepeatedType repeated =
        spec.depth(i) > 0 ? null : RepeatedType.of(parquet, spec.valueType(i), file, calendars);
    return new Column(spec.column(i), parquet, leaf, flat, repeated, missing);
  }

  /** Whether no condition is known to be false of the one value that a missing column has. */
  private boolean missingColumnsPass() throws IOException {
    for (ScanFilter f : spec.filters()) {
      if (f instanceof ScanFilter.ColumnFilter one
          && columns[one.column()].missing
          && !(one.predicate() instanceof CompiledPredicate)
          && !missingPasses(one.column(), one.predicate())) {
        return false;
      }
    }
    return true;
  }

  /** Whether the one value of a missing column passes: null, or the column's default. */
  boolean missingPasses(int column, ColumnPredicate predicate) throws IOException {
    Boolean known = missingPasses.get(predicate);
    if (known == null) {
      known = constantPasses(column, predicate);
      missingPasses.put(predicate, known);
    }
    return known;
  }

  private boolean constantPasses(int column, ColumnPredicate predicate) throws IOException {
    try (SparkReader probe = SparkReader.open(spark, columns[column].field)) {
      SparkColumnCursor constant =
          new SparkColumnCursor(
              probe,
              spec.depth(column),
              rows -> new SelectedPages(Map.of(), rows, 0, pageReader));
      constant.start(Selection.all(1));
      return !constant.filter(Selection.all(1), predicate.cursor()).isNone();
    }
  }

  /** The payload columns as the output vectors must hold them. */
  public StructType payloadTypes() throws IOException {
    StructType types = new StructType();
    for (int p = 0; p < spec.payload(); p++) {
      StructField f = columns[p].field;
      types = types.add(f.name(), heldType(p), f.nullable(), f.metadata());
    }
    return types;
  }

  /** What a vector must hold for the values of a column. */
  DataType heldType(int column) throws IOException {
    return columns[column].ours()
        ? spec.valueType(column)
        : SparkColumnCursor.heldType(sparkReader(column, RowGroup.PAYLOAD), spec.depth(column));
  }

  /** Spark's reader of a column, one for each use. */
  SparkReader sparkReader(int column, int use) throws IOException {
    Map<Integer, SparkReader> ofColumn = byUse.computeIfAbsent(column, c -> new HashMap<>());
    SparkReader r = ofColumn.get(use);
    if (r == null) {
      r = SparkReader.open(spark, columns[column].field);
      ofColumn.put(use, r);
      sparkReaders.add(r);
    }
    return r;
  }

  /** Lets go of a reader that stopped in the middle of a row group; the next use opens another. */
  void dropSparkReader(int column, int use) {
    byUse.get(column).remove(use);
  }

  @Override
  public void prefetch(boolean prunes, FirstFetch first) throws IOException {
    if (ahead != null || !fetcher.mayPrefetch()) {
      return;
    }
    ahead = nextRowGroup();
    List<WantedRange> ranges = List.of();
    try {
      ranges = ahead == null ? ranges : ahead.firstRanges(prunes, first);
    } catch (CorruptPageException | IOException e) {
      // It will be an error for who reads that row group.
    }
    fetcher.prefetch(ranges);
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
      counters.add(Counter.ROW_GROUPS_SKIPPED, blocks.size() - next);
      next = blocks.size();
    }
    if (next == 0 && !blocks.isEmpty()) {
      checkRowCounts(blocks);
      for (Column c : columns) {
        if (!c.ours()) {
          spark.checkReadable(c.parquet, reader.getFileMetaData().getSchema());
        }
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

  /** Spark adds them up, negative ones too, and stops where the sum says. */
  private void checkRowCounts(List<BlockMetaData> blocks) {
    for (int i = 0; i < blocks.size(); i++) {
      if (blocks.get(i).getRowCount() < 0) {
        throw new CorruptPageException(
            "corrupt Parquet file " + file + ": row group " + i + " has "
                + blocks.get(i).getRowCount() + " rows");
      }
    }
  }

  @Override
  public ScanMemory memory() {
    return memory;
  }

  /** What rules rows out by the minima and maxima of pages; null if there is nothing to go by. */
  ColumnIndexPruning columnIndex() {
    return columnIndex;
  }

  /** The leaves of a column that Spark decodes. */
  List<ColumnDescriptor> leaves(int column, int use) throws IOException {
    return columns[column].missing ? List.of() : sparkReader(column, use).leaves();
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
      memory.close();
      decompressor.close();
      reader.close();
    }
  }
}
