// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import latebloom.parquet.flat.PageCache;
import latebloom.parquet.nested.RepeatedColumnCursor;
import latebloom.parquet.nested.RepeatedLeafCursor;
import latebloom.parquet.page.ColumnChunk;
import latebloom.parquet.types.RepeatedType;
import latebloom.read.ColumnCursor;
import latebloom.read.RowGroup;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.predicate.KeptEntries;
import latebloom.read.selection.Selection;

/** Reads a list or map with our own decoders. Its uses share the dictionaries. */
final class NestedColumnReader implements ColumnReader {
  private final ParquetSplit split;
  private final int column;
  private final List<ColumnChunk> chunks;
  private final List<PageCache> caches;
  private final Map<Integer, RepeatedColumnCursor> cursors = new HashMap<>(2);

  /**
   * @param chunks of the leaves, in order
   */
  NestedColumnReader(
      ParquetSplit split, int column, List<ColumnChunk> chunks, PageCache.Budget budget) {
    this.split = split;
    this.column = column;
    this.chunks = chunks;
    this.caches = chunks.stream().map(c -> new PageCache(budget, 0)).toList();
  }

  @Override
  public List<ColumnChunk> chunks() {
    return chunks;
  }

  @Override
  public ColumnCursor cursor(int use, Selection rows) {
    return cursors.computeIfAbsent(use, this::open);
  }

  private RepeatedColumnCursor open(int use) {
    RepeatedType type = split.columns[column].repeated();
    // A filter may need other entries than the operators above the scan.
    KeptEntries kept = use == RowGroup.PAYLOAD ? split.spec.keptOf(column) : null;
    int most = kept instanceof KeptEntries.First f ? f.count() : Integer.MAX_VALUE;
    ColumnPredicate keys =
        kept instanceof KeptEntries.WithKeys k && type.keysAreValues() ? k.keys() : null;
    List<RepeatedLeafCursor> leaves = new ArrayList<>();
    for (int l = 0; l < chunks.size(); l++) {
      leaves.add(
          new RepeatedLeafCursor(
              split.context,
              chunks.get(l),
              type.types().get(l),
              type.level(),
              caches.get(l),
              most));
    }
    return new RepeatedColumnCursor(
        leaves, chunks.get(0).place, split.spec.valueType(column), keys);
  }

  @Override
  public void release() {
    caches.forEach(PageCache::release);
  }
}
