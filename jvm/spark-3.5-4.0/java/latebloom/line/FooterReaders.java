// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
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
    Configuration conf = new Configuration(file.getConfiguration());
    Path path = file.getPath();
    try {
      return KnownFiles.open(
          conf, path, in, () -> FooterReader.open(conf, path, footer, options, in));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
