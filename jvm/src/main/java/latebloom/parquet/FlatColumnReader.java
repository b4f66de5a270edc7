// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import latebloom.parquet.flat.FlatColumnCursor;
import latebloom.parquet.flat.PageCache;
import latebloom.parquet.page.ColumnChunk;
import latebloom.parquet.types.FlatType;
import latebloom.read.ColumnCursor;
import latebloom.read.RowGroup;
import latebloom.read.selection.Selection;

/** Reads a flat column with our own decoders. Its uses share the dictionary and the kept pages. */
final class FlatColumnReader implements ColumnReader {
  private final ParquetSplit split;
  private final ColumnChunk chunk;
  private final FlatType type;
  private final boolean keepsPages;
  private final PageCache.Budget budget;
  private final Map<Integer, FlatColumnCursor> cursors = new HashMap<>(2);
  private PageCache cache;

  /**
   * @param keepsPages whether to keep pages, as for a column that is read more than once
   */
  FlatColumnReader(
      ParquetSplit split,
      ColumnChunk chunk,
      FlatType type,
      boolean keepsPages,
      PageCache.Budget budget) {
    this.split = split;
    this.chunk = chunk;
    this.type = type;
    this.keepsPages = keepsPages;
    this.budget = budget;
  }

  @Override
  public List<ColumnChunk> chunks() {
    return List.of(chunk);
  }

  @Override
  public ColumnCursor cursor(int use, Selection rows) {
    return cursors.computeIfAbsent(use, this::open);
  }

  private FlatColumnCursor open(int use) {
    if (cache == null) {
      cache = new PageCache(budget, keepsPages ? chunk.pageCount() : 0);
    }
    boolean last = use == RowGroup.PAYLOAD;
    return new FlatColumnCursor(split.context, chunk, type, cache, last);
  }

  @Override
  public void release() {
    if (cache != null) {
      cache.release();
    }
  }
}
