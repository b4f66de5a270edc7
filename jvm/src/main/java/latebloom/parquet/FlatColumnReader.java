// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import latebloom.parquet.flat.ChunkDictionary;
import latebloom.parquet.flat.FlatColumnCursor;
import latebloom.parquet.flat.FlatSink;
import latebloom.parquet.flat.PageCache;
import latebloom.parquet.page.ColumnChunk;
import latebloom.parquet.types.FlatType;
import latebloom.read.ColumnCursor;
import latebloom.read.DictionaryCursor;
import latebloom.read.DistinctRows;
import latebloom.read.RowGroup;
import latebloom.read.selection.Selection;
import latebloom.read.vector.BlockArrays;

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
    boolean last = use == RowGroup.PAYLOAD;
    return new FlatColumnCursor(split.context, chunk, type, cache(), last);
  }

  private PageCache cache() {
    if (cache == null) {
      cache = new PageCache(budget, keepsPages ? chunk.pageCount() : 0);
    }
    return cache;
  }

  /**
   * The entries of the dictionary, whose page must have been fetched; null if there are more than
   * values, or if Spark cannot convert some of them.
   */
  DistinctRows.Values distinct(long values, boolean hasNull) throws IOException {
    ChunkDictionary dictionary = cache().dictionary(chunk, type, split.context.pages());
    if (dictionary.size() > values || dictionary.refusesSome()) {
      return null;
    }
    BlockArrays blocks = split.context.blocks();
    FlatSink sink = new FlatSink(type, blocks);
    return new DictionaryCursor(
            dictionary,
            hasNull,
            sink,
            (codes, n) -> sink.codes(dictionary, codes, n, codes, n, null),
            blocks)
        .all();
  }

  @Override
  public void release() {
    if (cache != null) {
      cache.release();
    }
  }
}
