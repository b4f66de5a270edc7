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
import latebloom.parquet.flat.FlatColumn;
import latebloom.parquet.flat.PageCache;
import latebloom.parquet.nested.RepeatedColumn;
import latebloom.parquet.nested.RepeatedLeaf;
import latebloom.parquet.page.ColumnChunk;
import latebloom.parquet.page.ColumnPlace;
import latebloom.parquet.page.PageIndexes;
import latebloom.parquet.page.SelectedPages;
import latebloom.parquet.types.FlatType;
import latebloom.parquet.types.RepeatedType;
import latebloom.read.RowGroup;
import latebloom.read.RowGroups;
import latebloom.read.SelectiveColumn;
import latebloom.read.io.RangeFetcher.Wanted;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.CompiledColumn;
import latebloom.read.predicate.Held;
import latebloom.read.predicate.KeptEntries;
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

/** One row group: its column chunks, made and fetched as they are needed. */
final class ParquetRowGroup implements RowGroup {
  private final ParquetSplit split;
  private final BlockMetaData block;
  private final int index;
  private final int rows;
  private final Map<ColumnPath, ColumnChunkMetaData> metas;
  private final Map<ColumnPath, ColumnChunk> chunks = new LinkedHashMap<>();
  private final PageCache.Budget pageBudget;
  private final Map<Integer, PageCache> caches = new HashMap<>();
  private final Map<ColumnPath, PageCache> leafCaches = new HashMap<>();
  private final Map<Integer, Boolean> ours = new HashMap<>();
  private final Map<Use, SelectiveColumn> ourCursors = new HashMap<>();
  private final Map<Use, SparkColumn> sparkCursors = new HashMap<>();

  /** Whether offset indexes are used. */
  private boolean placed;

  private record Use(int column, int use) {}

  ParquetRowGroup(ParquetSplit split, BlockMetaData block, int index) {
    this.split = split;
    this.block = block;
    this.index = index;
    this.pageBudget =
        new PageCache.Budget(split.spec.options().pageCacheBytes(), split.memory);
    this.rows = Math.toIntExact(block.getRowCount());
    this.placed = split.trusted.places();
    this.metas = new HashMap<>();
    block.getColumns().forEach(c -> metas.put(c.getPath(), c));
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public Selection prune() throws IOException {
    ColumnIndexPruning pruning = split.columnIndex();
    if (pruning == null) {
      return Selection.all(rows);
    }
    List<ColumnChunk> indexed = indexed();
    PageIndexes indexes = new PageIndexes(indexed);
    split.fetcher.fetch(indexes.ranges());
    Selection left = pruning.rows(rows, indexes);
    // Here Spark reads by the places of pages, too, whoever wrote them.
    placed |= !left.isAll();
    if (!placed) {
      indexed.forEach(ColumnChunk::dropIndex);
    }
    return left;
  }

  @Override
  public boolean allPass(int index, ColumnPredicate predicate) throws IOException {
    ParquetSplit.Column column = split.columns[index];
    if (predicate instanceof CompiledColumn) {
      return false;
    }
    if (column.missing()) {
      return split.missingPasses(index, predicate);
    }
    if (column.flat() == null) {
      return false;
    }
    Statistics<?> stats = meta(column.leaf()).getStatistics();
    boolean nested = column.leaf().getPath().length > 1;
    boolean noNulls =
        column.leaf().getMaxDefinitionLevel() == 0
            || split.trusted.nullCounts() && !nested && hasNoNulls(stats);
    if (!noNulls && !predicate.nullPasses()) {
      return false;
    }
    boolean bounded = split.trusted.bounds() && !nested;
    return coversValues(predicate, column.flat(), bounded ? stats : null);
  }

  private static boolean hasNoNulls(Statistics<?> stats) {
    return stats != null && stats.isNumNullsSet() && stats.getNumNulls() == 0;
  }

  /**
   * @param stats null if there are none, or none to rely on
   */
  private static boolean coversValues(ColumnPredicate predicate, FlatType type, Statistics<?> stats) {
    if (predicate instanceof ColumnPredicate.Bytes bytes) {
      return bytes.test().isAll();
    }
    if (predicate instanceof ColumnPredicate.Longs longs && longs.ranges().isAll()) {
      return true;
    }
    // Statistics are of values as they lie in the file.
    boolean inOrder =
        type.conversion() == null
            && (type.held() == Held.INT || type.held() == Held.LONG);
    if (!inOrder || stats == null || !stats.hasNonNullValue()) {
      return false;
    }
    if (stats instanceof IntStatistics s) {
      return covers(predicate, s.getMin(), s.getMax());
    }
    return stats instanceof LongStatistics s && covers(predicate, s.getMin(), s.getMax());
  }

  // Statistics of unsigned numbers are in unsigned order, in which the least may be the greater.
  private static boolean covers(ColumnPredicate predicate, long min, long max) {
    return min <= max && predicate.covers(min, max);
  }

  private ColumnChunkMetaData meta(ColumnDescriptor column) {
    ColumnChunkMetaData m = metas.get(ColumnPath.get(column.getPath()));
    if (m == null) {
      throw new CorruptPageException(
          "corrupt Parquet file " + split.file + ": row group " + index + " lacks column "
              + String.join(".", column.getPath()));
    }
    return m;
  }

  private ColumnChunk chunk(ColumnDescriptor column) {
    return chunks.computeIfAbsent(
        ColumnPath.get(column.getPath()),
        path ->
            new ColumnChunk(
                new ColumnPlace(split.file, index, path.toDotString()),
                column,
                meta(column),
                rows,
                split.fetcher.fileLength(),
                split.chainsPages,
                split.counters));
  }

  /** Whether we decode the column in this row group; else Spark's reader does. */
  private boolean isOurs(int column) {
    return ours.computeIfAbsent(
        column,
        k -> {
          ParquetSplit.Column c = split.columns[k];
          RepeatedType repeated = c.repeated();
          if (repeated == null) {
            return c.flat() != null && isOurs(c.leaf(), c.flat());
          }
          boolean all = true;
          for (int l = 0; l < repeated.leaves().size(); l++) {
            all &= isOurs(repeated.leaves().get(l), repeated.types().get(l));
          }
          return all;
        });
  }

  private boolean isOurs(ColumnDescriptor leaf, FlatType type) {
    return Decoders.decode(type, meta(leaf)) && !chunk(leaf).chainsStrings();
  }

  private List<ColumnChunk> chunksOf(int column) throws IOException {
    ParquetSplit.Column c = split.columns[column];
    if (!isOurs(column)) {
      return split.leaves(column, PAYLOAD).stream().map(this::chunk).toList();
    }
    return c.repeated() == null
        ? List.of(chunk(c.leaf()))
        : c.repeated().leaves().stream().map(this::chunk).toList();
  }

  @Override
  public void fetch(List<Need> needs) throws IOException {
    fetchIndexes(needs);
    List<Wanted> pages = new ArrayList<>();
    for (Need need : needs) {
      List<ColumnChunk> leaves = chunksOf(need.column());
      boolean selects = isOurs(need.column()) || leaves.stream().allMatch(ColumnChunk::sparkSkipsRows);
      for (ColumnChunk chunk : leaves) {
        chunk.want(selects ? need.rows() : Selection.all(rows), pages);
      }
    }
    split.fetcher.fetch(pages);
  }

  /** What the first fetch will ask for: indexes if rows are ruled out by them, else whole chunks. */
  List<Wanted> firstRanges(boolean prunes, RowGroups.FirstFetch first) throws IOException {
    if (prunes && split.columnIndex() != null) {
      return new PageIndexes(indexed()).ranges();
    }
    Set<ColumnChunk> whole = new LinkedHashSet<>();
    for (int column : first.columns(this)) {
      whole.addAll(chunksOf(column));
    }
    return whole.stream().map(ColumnChunk::wholeRange).toList();
  }

  /** The columns that rows can be ruled out by. */
  private List<ColumnChunk> indexed() {
    return split.columnIndex().columns().stream().map(this::chunk).toList();
  }

  /**
   * Reads where pages lie if leaving some out saves more than a request costs; at once for all
   * columns of the scan, if those are not more than a request is worth.
   */
  private void fetchIndexes(List<Need> needs) throws IOException {
    Set<ColumnChunk> indexed = new LinkedHashSet<>();
    double saved = 0;
    for (Need need : needs) {
      for (ColumnChunk chunk : chunksOf(need.column())) {
        if (skipsPages(need.column(), chunk)) {
          saved += chunk.meta.getTotalSize() * (1 - need.rows().spread());
          indexed.add(chunk);
        }
      }
    }
    if (saved <= roundTripBytes()) {
      return;
    }
    Set<ColumnChunk> all = new LinkedHashSet<>(indexed);
    for (int c = 0; c < split.columns.length; c++) {
      if (!split.columns[c].missing()) {
        for (ColumnChunk chunk : chunksOf(c)) {
          if (skipsPages(c, chunk)) {
            all.add(chunk);
          }
        }
      }
    }
    long bytes = all.stream().mapToLong(c -> c.meta.getOffsetIndexReference().getLength()).sum();
    Set<ColumnChunk> fetched = bytes <= roundTripBytes() ? all : indexed;
    split.fetcher.fetch(fetched.stream().map(ColumnChunk::indexRange).toList());
  }

  private boolean skipsPages(int column, ColumnChunk chunk) {
    return placed && chunk.lacksIndex() && (isOurs(column) || chunk.sparkSkipsValues());
  }

  @Override
  public long bytes(int column) throws IOException {
    long bytes = 0;
    if (!split.columns[column].missing()) {
      for (ColumnChunk chunk : chunksOf(column)) {
        bytes += chunk.meta.getTotalSize();
      }
    }
    return bytes;
  }

  @Override
  public long roundTripBytes() {
    return split.fetcher.roundTripBytes();
  }

  @Override
  public SelectiveColumn cursor(int column, int use, Selection rows) throws IOException {
    if (isOurs(column)) {
      boolean flat = split.columns[column].repeated() == null;
      return ourCursors.computeIfAbsent(new Use(column, use), flat ? this::flat : this::repeated);
    }
    SparkColumn c = spark(new Use(column, use));
    c.start(rows);
    return c;
  }

  @Override
  public DataType heldType(int column) throws IOException {
    return split.heldType(column);
  }

  private FlatColumn flat(Use use) {
    ParquetSplit.Column c = split.columns[use.column];
    ColumnChunk chunk = chunk(c.leaf());
    PageCache cache =
        caches.computeIfAbsent(
            use.column,
            k -> new PageCache(pageBudget, split.uses[k] > 1 ? chunk.pageCount() : 0));
    boolean last = use.use == PAYLOAD;
    return new FlatColumn(chunk, c.flat(), split.pageReader, cache, last, split.blocks, split.counters);
  }

  private RepeatedColumn repeated(Use use) {
    RepeatedType type = split.columns[use.column].repeated();
    // A filter may ask for other entries than what is above the scan.
    KeptEntries kept = use.use == PAYLOAD ? split.spec.keptOf(use.column) : null;
    int most = kept instanceof KeptEntries.First f ? f.count() : Integer.MAX_VALUE;
    ColumnPredicate keys =
        kept instanceof KeptEntries.WithKeys k && type.keysAreValues() ? k.keys() : null;
    List<RepeatedLeaf> leaves = new ArrayList<>();
    for (int l = 0; l < type.leaves().size(); l++) {
      ColumnChunk chunk = chunk(type.leaves().get(l));
      PageCache cache =
          leafCaches.computeIfAbsent(chunk.meta.getPath(), p -> new PageCache(pageBudget, 0));
      leaves.add(
          new RepeatedLeaf(
              chunk,
              type.types().get(l),
              type.level(),
              split.pageReader,
              cache,
              most,
              split.blocks,
              split.counters));
    }
    return new RepeatedColumn(
        leaves, chunk(type.leaves().get(0)).place, split.spec.valueType(use.column), keys);
  }

  /** The same for all windows: one that reads every page in turn goes on where it stopped. */
  private SparkColumn spark(Use use) throws IOException {
    SparkColumn before = sparkCursors.get(use);
    if (before != null) {
      return before;
    }
    Map<ColumnPath, ColumnChunk> leaves = new LinkedHashMap<>();
    for (ColumnDescriptor leaf : split.leaves(use.column, use.use)) {
      leaves.put(ColumnPath.get(leaf.getPath()), chunk(leaf));
    }
    SparkColumn fresh =
        new SparkColumn(
            split.sparkReader(use.column, use.use),
            split.spec.depth(use.column),
            selected ->
                new SelectedPages(leaves, selected, block.getRowIndexOffset(), split.pageReader));
    sparkCursors.put(use, fresh);
    return fresh;
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
      split.counters.add(Counter.PAGES_SKIPPED, chunk.pagesSkipped());
      avoided += chunk.bytesAvoided() - chunk.meta.getTotalSize();
    }
    split.counters.add(Counter.BYTES_AVOIDED, Math.max(avoided, 0));
    caches.values().forEach(PageCache::release);
    leafCaches.values().forEach(PageCache::release);
    split.pageReader.release();
    sparkCursors.forEach(
        (use, c) -> {
          if (!c.reusable()) {
            split.dropSparkReader(use.column, use.use);
          }
        });
    chunks.clear();
    split.fetcher.released();
  }
}
