// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader;
import scala.Option;

/** Initializes Spark's Parquet reader with a known footer: it sends no request to the store. */
public final class OpenedFile {
  private OpenedFile() {}

  /**
   * Initializes {@code reader} without row groups to read.
   *
   * @param conf the requested schema and settings; changed
   * @param footer the file's footer, without row groups
   */
  public static void initialize(
      VectorizedParquetRecordReader reader,
      HadoopInputFile file,
      Configuration conf,
      ParquetMetadata footer)
      throws IOException, InterruptedException {
    Path path = file.getPath().getFileSystem(conf).makeQualified(file.getPath());
    // The reader of these lines opens the file's path even if it reads nothing.
    KnownFiles.open(
        conf,
        path,
        null,
        () -> {
          reader.initialize(
              new FileSplit(path, 0, 0, new String[0]),
              new TaskAttemptContextImpl(conf, new TaskAttemptID()),
              Option.apply(footer));
          return null;
        });
  }
}
