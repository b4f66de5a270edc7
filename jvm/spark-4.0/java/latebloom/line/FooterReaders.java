// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.io.IOException;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.io.SeekableInputStream;

/** Readers of files whose footers are known. */
public final class FooterReaders {
  private FooterReaders() {}

  /**
   * Has the row groups that pass the filter of {@code options}. The parquet-java of this line asks
   * the store for the file's status once more.
   *
   * @param in closed with the reader
   */
  public static ParquetFileReader open(
      HadoopInputFile file, ParquetMetadata footer, ParquetReadOptions options, SeekableInputStream in)
      throws IOException {
    return new ParquetFileReader(file.getConfiguration(), file.getPath(), footer, options, in);
  }
}
