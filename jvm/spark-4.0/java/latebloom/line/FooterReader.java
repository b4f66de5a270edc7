// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.SeekableInputStream;

/** Opens a reader of a Parquet file whose footer is known, with this line's parquet-java. */
final class FooterReader {
  private FooterReader() {}

  /** Opens a reader of the row groups that pass the filter of {@code options}. */
  static ParquetFileReader open(
      Configuration conf,
      Path path,
      ParquetMetadata footer,
      ParquetReadOptions options,
      SeekableInputStream in)
      throws IOException {
    return new ParquetFileReader(conf, path, footer, options, in);
  }
}
