// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import latebloom.parquet.encoding.Bytes;
import latebloom.read.io.RangeFetcher.WantedRange;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.filter2.columnindex.ColumnIndexStore;
import org.apache.parquet.internal.hadoop.metadata.IndexReference;

/**
 * Fetches the column and offset indexes of some columns of a row group together: parquet-java's own
 * store makes two requests per column. Offset indexes stay with their chunks, whose pages they
 * locate.
 */
public final class PageIndexes implements ColumnIndexStore {
  private final Map<ColumnPath, ColumnChunk> chunks = new HashMap<>();
  private final Map<ColumnPath, Bytes> columnIndexes = new HashMap<>();

  public PageIndexes(List<ColumnChunk> chunks) {
    chunks.forEach(c -> this.chunks.put(c.meta.getPath(), c));
  }

  /** The ranges to fetch. */
  public List<WantedRange> ranges() {
    List<WantedRange> ranges = new ArrayList<>();
    for (ColumnChunk c : chunks.values()) {
      if (c.lacksIndex()) {
        ranges.add(c.indexRange());
      }
      IndexReference ref = c.meta.getColumnIndexReference();
      if (c.liesInFile(ref)) {
        ranges.add(
            ColumnChunk.wanted(
                ref.getOffset(), ref.getLength(), b -> columnIndexes.put(c.meta.getPath(), b)));
      }
    }
    return ranges;
  }

  @Override
  public ColumnIndex getColumnIndex(ColumnPath column) {
    Bytes bytes = columnIndexes.get(column);
    if (bytes == null) {
      return null;
    }
    try {
      return ParquetMetadataConverter.fromParquetColumnIndex(
          chunks.get(column).meta.getPrimitiveType(), ThriftReader.columnIndex(bytes));
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public OffsetIndex getOffsetIndex(ColumnPath column) {
    ColumnChunk chunk = chunks.get(column);
    OffsetIndex index = chunk == null ? null : chunk.index();
    if (index == null) {
      throw new MissingOffsetIndexException(column);
    }
    return index;
  }
}
