// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.compat.RowGroupFilter;
import org.apache.parquet.filter2.compat.RowGroupFilter.FilterLevel;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.SeekableInputStream;

/**
 * Reads a Parquet file whose footer is known. The reader of this line's parquet-java accepts either
 * a footer or options, so this class applies the row-group filter of the options itself, at the
 * levels that parquet-java would.
 */
final class FooterReader extends ParquetFileReader {
  private final List<BlockMetaData> rowGroups;

  @SuppressWarnings("deprecation")
  private FooterReader(
      Configuration conf, Path path, ParquetMetadata footer, ParquetReadOptions options)
      throws IOException {
    super(conf, path, footer);
    try {
      this.rowGroups = filtered(options, super.getRowGroups());
    } catch (Throwable e) {
      super.close();
      throw e;
    }
  }

  /**
   * Opens a reader of the row groups that pass the filter of {@code options}.
   *
   * @param in unused: parquet-java opens {@code path}, which leads to this stream
   */
  static ParquetFileReader open(
      Configuration conf,
      Path path,
      ParquetMetadata footer,
      ParquetReadOptions options,
      SeekableInputStream in)
      throws IOException {
    return new FooterReader(conf, path, footer, options);
  }

  private List<BlockMetaData> filtered(ParquetReadOptions options, List<BlockMetaData> all)
      throws IOException {
    FilterCompat.Filter filter = options.getRecordFilter();
    if (!FilterCompat.isFilteringRequired(filter)) {
      return all;
    }
    List<FilterLevel> levels = new ArrayList<>();
    if (options.useStatsFilter()) {
      levels.add(FilterLevel.STATISTICS);
    }
    if (options.useDictionaryFilter()) {
      levels.add(FilterLevel.DICTIONARY);
    }
    if (options.useBloomFilter()) {
      levels.add(FilterLevel.BLOOMFILTER);
    }
    return RowGroupFilter.filterRowGroups(levels, filter, all, this);
  }

  @Override
  public List<BlockMetaData> getRowGroups() {
    return rowGroups;
  }
}
