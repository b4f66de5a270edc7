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

/** Hands a file whose footer is known to Spark's reader of Parquet, which then asks no store. */
public final class OpenedFile {
  private OpenedFile() {}

  /**
   * @param conf what the reader is to read, and how
   * @param footer of the file, without row groups
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

  /** Stands for the file where none may be read or closed. */
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
