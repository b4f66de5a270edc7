// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader;
import scala.Option;

/** Initializes Spark's Parquet reader with a known footer: it sends no request to the store. */
public final class OpenedFile {
  private OpenedFile() {}

  /**
   * Initializes {@code reader} without row groups to read.
   *
   * @param conf the requested schema and settings
   * @param footer the file's footer, without row groups
   */
  public static void initialize(
      VectorizedParquetRecordReader reader,
      HadoopInputFile file,
      Configuration conf,
      ParquetMetadata footer)
      throws IOException, InterruptedException {
    reader.initialize(
        new FileSplit(file.getPath(), 0, 0, new String[0]),
        new TaskAttemptContextImpl(conf, new TaskAttemptID()),
        Option.apply(file),
        Option.apply((SeekableInputStream) new NoStream()),
        Option.apply(footer));
  }

  /** An empty stream in place of the file, which this reader must neither read nor close. */
  private static final class NoStream extends DelegatingSeekableInputStream {
    NoStream() {
      super(java.io.InputStream.nullInputStream());
    }

    @Override
    public long getPos() {
      return 0;
    }

    @Override
    public void seek(long newPos) throws IOException {
      throw new IOException("this reader is fed with pages and must not seek");
    }
  }
}
