// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import latebloom.parquet.page.ColumnChunk;
import latebloom.parquet.page.SelectedPages;
import latebloom.read.ColumnCursor;
import latebloom.read.RowGroup;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.selection.Selection;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.hadoop.metadata.ColumnPath;

/** Feeds Spark's own reader of a column with the pages that hold wanted rows. */
final class SparkColumnReader implements ColumnReader {
  private final ParquetSplit split;
  private final ParquetRowGroup group;
  private final int column;
  private final Map<Integer, SparkColumnCursor> cursors = new HashMap<>(2);
  private List<ColumnChunk> chunks;

  SparkColumnReader(ParquetSplit split, ParquetRowGroup group, int column) {
    this.split = split;
    this.group = group;
    this.column = column;
  }

  @Override
  public List<ColumnChunk> chunks() throws IOException {
    if (chunks == null) {
      chunks = split.leaves(column, RowGroup.PAYLOAD).stream().map(group::chunk).toList();
    }
    return chunks;
  }

  @Override
  public boolean skipsPages(ColumnChunk chunk) {
    return chunk.sparkSkipsValues();
  }

  @Override
  public void want(Selection rows, List<WantedRange> ranges) throws IOException {
    boolean skips = skips();
    for (ColumnChunk chunk : chunks()) {
      chunk.want(skips ? rows : Selection.all(rows.rows()), ranges);
    }
  }

  private boolean skips() throws IOException {
    return chunks().stream().allMatch(ColumnChunk::sparkSkipsRows);
  }

  /**
   * One cursor serves all windows: one that reads every page in turn continues where it stopped.
   */
  @Override
  public ColumnCursor cursor(int use, Selection rows) throws IOException {
    fetchUnlisted(rows);
    SparkColumnCursor cursor = cursors.get(use);
    if (cursor == null) {
      cursor = open(use);
      cursors.put(use, cursor);
    }
    cursor.start(rows);
    return cursor;
  }

  /**
   * Fetches all pages if one that holds {@code rows} has an encoding that the chunk's metadata
   * omits, and that Spark's decoder can't skip.
   */
  private void fetchUnlisted(Selection rows) throws IOException {
    if (!skips()) {
      return;
    }
    chunks().forEach(chunk -> chunk.parseHeaders(rows));
    if (!skips()) {
      List<WantedRange> rest = new ArrayList<>();
      want(rows, rest);
      split.context.fetcher().fetch(rest);
    }
  }

  private SparkColumnCursor open(int use) throws IOException {
    Map<ColumnPath, ColumnChunk> leaves = new LinkedHashMap<>();
    for (ColumnDescriptor leaf : split.leaves(column, use)) {
      leaves.put(ColumnPath.get(leaf.getPath()), group.chunk(leaf));
    }
    return new SparkColumnCursor(
        split.sparkReader(column, use),
        split.spec.depth(column),
        rows -> new SelectedPages(leaves, rows, group.firstRow(), split.context.pages()));
  }

  @Override
  public void release() {
    cursors.forEach(
        (use, cursor) -> {
          if (!cursor.reusable()) {
            split.dropSparkReader(column, use);
          }
        });
  }
}
