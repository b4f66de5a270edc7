// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.encoding.Decoders;
import latebloom.parquet.flat.PageCache;
import latebloom.parquet.page.ColumnChunk;
import latebloom.parquet.page.ColumnPlace;
import latebloom.parquet.page.PageIndexes;
import latebloom.parquet.types.FlatType;
import latebloom.parquet.types.RepeatedType;
import latebloom.read.ColumnCursor;
import latebloom.read.DistinctRows;
import latebloom.read.RowGroup;
import latebloom.read.RowGroups;
import latebloom.read.RowNumberCursor;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.CompiledPredicate;
import latebloom.read.selection.Selection;
import latebloom.read.task.Counter;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.statistics.IntStatistics;
import org.apache.parquet.column.statistics.LongStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.spark.sql.types.DataType;

/**
 * Filters and selects the rows of one row group, by a reader for each column, created and fed on
 * demand.
 */
final class ParquetRowGroup implements RowGroup {
  private final ParquetSplit split;
  private final BlockMetaData block;
  private final int index;
  private final int rows;
  private final Map<ColumnPath, ColumnChunkMetaData> metas;
  private final Map<ColumnPath, ColumnChunk> chunks = new LinkedHashMap<>();
  private final PageCache.Budget pageBudget;

  /** By column; null until the column is asked for. */
  private final ColumnReader[] readers;

  /** Whether offset indexes are used. */
  private boolean placed;

  ParquetRowGroup(ParquetSplit split, BlockMetaData block, int index) {
    this.split = split;
    this.block = block;
    this.index = index;
    this.pageBudget =
        new PageCache.Budget(split.spec.options().pageCacheBytes(), split.context.memory());
    this.rows = Math.toIntExact(block.getRowCount());
    this.placed = split.trusted.places();
    this.readers = new ColumnReader[split.columns.length];
    this.metas = new HashMap<>();
    block.getColumns().forEach(c -> metas.put(c.getPath(), c));
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public long firstRow() {
    return block.getRowIndexOffset();
  }

  @Override
  public Selection prune() throws IOException {
    ColumnIndexPruning pruning = split.columnIndex();
    if (pruning == null) {
      return Selection.all(rows);
    }
    List<ColumnChunk> indexed = indexed();
    PageIndexes indexes = new PageIndexes(indexed);
    split.context.fetcher().fetchMetadata(indexes.ranges());
    Selection left = pruning.rows(rows, indexes);
    if (!left.isAll() && !prunesForAnyColumns() && !sparkPrunesPages()) {
      left = Selection.all(rows);
    }
    // Spark, too, reads by page offsets here, whoever wrote them.
    placed |= !left.isAll();
    if (!placed) {
      chunks.values().forEach(ColumnChunk::dropIndex);
    }
    return left;
  }

  @Override
  public boolean prunesForAnyColumns() {
    return split.trusted.bounds() && split.trusted.nullCounts();
  }

  /**
   * Whether Spark uses the row group's page indexes: it needs the offset index of each column that
   * it reads ({@code ColumnIndexStoreImpl.create}). Fetches these.
   */
  private boolean sparkPrunesPages() throws IOException {
    List<ColumnChunk> read =
        split.leaves().stream()
            .filter(leaf -> metas.containsKey(ColumnPath.get(leaf.getPath())))
            .map(this::chunk)
            .toList();
    split
        .context
        .fetcher()
        .fetch(read.stream().filter(ColumnChunk::lacksIndex).map(ColumnChunk::indexRange).toList());
    return read.stream().allMatch(ColumnChunk::isIndexReadable);
  }

  @Override
  public boolean allPass(int index, ColumnPredicate predicate) throws IOException {
    WantedColumn column = split.columns[index];
    if (predicate instanceof CompiledPredicate) {
      return false;
    }
    if (column.missing()) {
      return split.missing.pass(index, predicate);
    }
    if (column.flat() == null) {
      return false;
    }
    if (nulls(index) != 0 && !predicate.nullPasses()) {
      return false;
    }
    if (predicate.allValuesPass()) {
      return true;
    }
    Extremes values = valuesOf(column);
    return values != null && predicate.covers(values.least(), values.greatest());
  }

  @Override
  public Extremes extremes(int index) throws IOException {
    WantedColumn column = split.columns[index];
    if (column.flat() == null) {
      return null;
    }
    return nulls(index) == rows ? Extremes.NONE : valuesOf(column);
  }

  @Override
  public DistinctRows.Values distinct(int index, long nulls) throws IOException {
    if (!split.trusted.entries() || !(reader(index) instanceof FlatColumnReader column)) {
      return null;
    }
    WantedRange range = column.chunks().get(0).dictionaryRange();
    if (range == null) {
      return null;
    }
    split.context.fetcher().fetch(List.of(range));
    return column.distinct(rows - nulls, nulls > 0);
  }

  @Override
  public long nulls(int index) throws IOException {
    WantedColumn column = split.columns[index];
    if (column.flat() == null || column.missing()) {
      return -1;
    }
    if (column.leaf().getMaxDefinitionLevel() == 0) {
      return 0;
    }
    Statistics<?> stats = meta(column.leaf()).getStatistics();
    boolean known = split.trusted.nullCounts() && stats != null && stats.isNumNullsSet();
    return known && !isNested(column) ? stats.getNumNulls() : -1;
  }

  private static boolean isNested(WantedColumn column) {
    return column.leaf().getPath().length > 1;
  }

  /** The extremes of the values that are not null; null if there are none that can be trusted. */
  private Extremes valuesOf(WantedColumn column) {
    Statistics<?> stats = meta(column.leaf()).getStatistics();
    boolean bounded = split.trusted.bounds() && !isNested(column);
    if (!bounded || stats == null || !stats.hasNonNullValue()) {
      return null;
    }
    // Statistics are those of the file's own values.
    if (stats instanceof IntStatistics s) {
      return valuesOf(column.flat(), s.getMin(), s.getMax());
    }
    return stats instanceof LongStatistics s
        ? valuesOf(column.flat(), s.getMin(), s.getMax())
        : null;
  }

  // Statistics of unsigned numbers follow unsigned order, so their minimum may exceed the maximum.
  private static Extremes valuesOf(FlatType type, long min, long max) {
    return min <= max && type.keeps(min, max) ? new Extremes(false, min, max) : null;
  }

  private ColumnChunkMetaData meta(ColumnDescriptor column) {
    ColumnChunkMetaData m = metas.get(ColumnPath.get(column.getPath()));
    if (m == null) {
      throw new CorruptPageException(
          "corrupt Parquet file "
              + split.context.file()
              + ": row group "
              + index
              + " lacks column "
              + String.join(".", column.getPath()));
    }
    return m;
  }

  /** The chunk of a leaf of the file; columns with the same leaf share it. */
  ColumnChunk chunk(ColumnDescriptor column) {
    return chunks.computeIfAbsent(
        ColumnPath.get(column.getPath()),
        path ->
            new ColumnChunk(
                new ColumnPlace(split.context.file(), index, path.toDotString()),
                column,
                meta(column),
                rows,
                split.context.fetcher().fileLength(),
                split.context.chainsPages(),
                split.context.counters()));
  }

  private ColumnReader reader(int column) {
    if (readers[column] == null) {
      readers[column] = newReader(column);
    }
    return readers[column];
  }

  private ColumnReader newReader(int column) {
    WantedColumn c = split.columns[column];
    if (c.missing() && RowNumberCursor.isFor(c.field())) {
      return new RowNumberReader(new RowNumberCursor(firstRow()));
    }
    RepeatedType repeated = c.repeated();
    if (repeated != null && areDecoded(repeated)) {
      List<ColumnChunk> leaves = repeated.leaves().stream().map(this::chunk).toList();
      return new NestedColumnReader(split, column, leaves, pageBudget);
    }
    if (repeated == null && c.flat() != null && isDecoded(c.leaf(), c.flat())) {
      boolean keepsPages = split.uses[column] > 1;
      return new FlatColumnReader(split, chunk(c.leaf()), c.flat(), keepsPages, pageBudget);
    }
    SparkColumnReader reader = new SparkColumnReader(split, this, column);
    return c.missing() ? new MissingColumnReader(reader) : reader;
  }

  private boolean areDecoded(RepeatedType type) {
    boolean all = true;
    for (int l = 0; l < type.leaves().size(); l++) {
      all &= isDecoded(type.leaves().get(l), type.types().get(l));
    }
    return all;
  }

  /** Whether we decode all pages of a leaf in this row group; else Spark's reader does. */
  private boolean isDecoded(ColumnDescriptor leaf, FlatType type) {
    return Decoders.decode(type, meta(leaf)) && !chunk(leaf).chainsStrings();
  }

  @Override
  public void fetch(List<Need> needs) throws IOException {
    fetchIndexes(needs);
    List<WantedRange> pages = new ArrayList<>();
    for (Need need : needs) {
      reader(need.column()).want(need.rows(), pages);
    }
    split.context.fetcher().fetch(pages);
  }

  /** The ranges of the first fetch: indexes if they rule out rows, else whole chunks. */
  List<WantedRange> firstRanges(boolean prunes, RowGroups.FirstFetch first) throws IOException {
    if (prunes && split.columnIndex() != null) {
      return new PageIndexes(indexed()).ranges();
    }
    Set<ColumnChunk> whole = new LinkedHashSet<>();
    for (int column : first.columns(this)) {
      whole.addAll(reader(column).chunks());
    }
    return whole.stream().map(ColumnChunk::wholeRange).toList();
  }

  /** The columns by which rows can be ruled out. */
  private List<ColumnChunk> indexed() {
    return split.columnIndex().columns().stream().map(this::chunk).toList();
  }

  /**
   * Reads offset indexes if skipping pages saves more than a request costs; reads those of all the
   * scan's columns together if their size is worth less than another request.
   */
  private void fetchIndexes(List<Need> needs) throws IOException {
    Set<ColumnChunk> indexed = new LinkedHashSet<>();
    double saved = 0;
    for (Need need : needs) {
      for (ColumnChunk chunk : unindexed(need.column())) {
        saved += chunk.meta.getTotalSize() * (1 - need.rows().spread());
        indexed.add(chunk);
      }
    }
    if (saved <= roundTripBytes()) {
      return;
    }
    Set<ColumnChunk> all = new LinkedHashSet<>(indexed);
    for (int c = 0; c < readers.length; c++) {
      all.addAll(unindexed(c));
    }
    long bytes = all.stream().mapToLong(c -> c.meta.getOffsetIndexReference().getLength()).sum();
    Set<ColumnChunk> fetched = bytes <= roundTripBytes() ? all : indexed;
    split.context.fetcher().fetchMetadata(fetched.stream().map(ColumnChunk::indexRange).toList());
  }

  /** The chunks of a column whose pages could be skipped if their offset indexes were read. */
  private List<ColumnChunk> unindexed(int column) throws IOException {
    List<ColumnChunk> chunks = new ArrayList<>(1);
    ColumnReader reader = reader(column);
    for (ColumnChunk chunk : reader.chunks()) {
      if (chunk.lacksIndex() && isInPages(reader, chunk)) {
        chunks.add(chunk);
      }
    }
    return chunks;
  }

  /** Whether some pages of a chunk can be fetched without the others. */
  private boolean isInPages(ColumnReader reader, ColumnChunk chunk) {
    return placed && chunk.hasIndex() && reader.skipsPages(chunk);
  }

  @Override
  public long bytes(int column) throws IOException {
    long bytes = 0;
    for (ColumnChunk chunk : reader(column).chunks()) {
      bytes += chunk.meta.getTotalSize();
    }
    return bytes;
  }

  @Override
  public long bytes(int column, Selection rows) throws IOException {
    ColumnReader reader = reader(column);
    boolean inPages = reader.chunks().stream().allMatch(chunk -> isInPages(reader, chunk));
    return inPages || rows.isNone() ? RowGroup.super.bytes(column, rows) : bytes(column);
  }

  @Override
  public long roundTripBytes() {
    return split.context.fetcher().roundTripBytes();
  }

  @Override
  public ColumnCursor cursor(int column, int use, Selection rows) throws IOException {
    ColumnReader reader = reader(column);
    boolean bySpark = reader instanceof SparkColumnReader;
    return new ColumnCursor.Counted(
        reader.cursor(use, rows), column, use, bySpark, split.context.counters());
  }

  @Override
  public DataType heldType(int column) throws IOException {
    return split.heldType(column);
  }

  @Override
  public void release() {
    long avoided = 0;
    for (ColumnChunkMetaData meta : block.getColumns()) {
      if (split.reads(meta.getPath())) {
        avoided += meta.getTotalSize();
      }
    }
    for (ColumnChunk chunk : chunks.values()) {
      split.context.counters().add(Counter.PAGES_SKIPPED, chunk.pagesSkipped());
      avoided += chunk.bytesAvoided() - chunk.meta.getTotalSize();
    }
    split.context.counters().add(Counter.BYTES_AVOIDED, Math.max(avoided, 0));
    for (ColumnReader reader : readers) {
      if (reader != null) {
        reader.release();
      }
    }
    split.context.pages().release();
    chunks.clear();
    split.context.fetcher().released();
  }
}
