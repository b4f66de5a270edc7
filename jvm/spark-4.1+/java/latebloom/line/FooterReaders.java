// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.io.IOException;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.io.SeekableInputStream;

/** Opens readers of Parquet files whose footers are known. */
public final class FooterReaders {
  private FooterReaders() {}

  /**
   * Opens a reader of the row groups that pass the filter of {@code options}.
   *
   * @param in the open file; the reader closes it
   */
  public static ParquetFileReader open(
      HadoopInputFile file, ParquetMetadata footer, ParquetReadOptions options, SeekableInputStream in)
      throws IOException {
    return new ParquetFileReader(file, footer, options, in);
  }
}
