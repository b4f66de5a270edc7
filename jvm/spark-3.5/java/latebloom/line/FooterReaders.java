// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.compat.RowGroupFilter;
import org.apache.parquet.filter2.compat.RowGroupFilter.FilterLevel;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.io.SeekableInputStream;

/** Readers of files whose footers are known. */
public final class FooterReaders {
  private FooterReaders() {}

  /**
   * Has the row groups that pass the filter of {@code options}.
   *
   * @param in closed with the reader
   */
  public static ParquetFileReader open(
      HadoopInputFile file, ParquetMetadata footer, ParquetReadOptions options, SeekableInputStream in)
      throws IOException {
    return new FilteredReader(file, footer, options, in);
  }

  /**
   * The parquet-java of this line takes a footer or options, not both, and opens the file once more:
   * so the filter of the options is asked here, as that reader would ask it.
   */
  private static final class FilteredReader extends ParquetFileReader {
    private final SeekableInputStream in;
    private final List<BlockMetaData> rowGroups;

    @SuppressWarnings("deprecation")
    FilteredReader(
        HadoopInputFile file,
        ParquetMetadata footer,
        ParquetReadOptions options,
        SeekableInputStream in)
        throws IOException {
      super(file.getConfiguration(), file.getPath(), footer);
      this.in = in;
      try {
        this.rowGroups = filtered(options, super.getRowGroups());
      } catch (Throwable e) {
        super.close();
        throw e;
      }
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

    @Override
    public void close() throws IOException {
      try (in) {
        super.close();
      }
    }
  }
}
