// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.Seekable;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader;
import scala.Option;

/**
 * Hands a file whose footer is known to Spark's reader of Parquet, which then asks no store.
 *
 * <p>The reader of this line opens the file even so, to read nothing of it: it finds it in a file
 * system without a store, which the configuration names for this reader alone.
 */
public final class OpenedFile {
  private OpenedFile() {}

  /**
   * @param conf what the reader is to read, and how; changed
   * @param footer of the file, without row groups
   */
  public static void initialize(
      VectorizedParquetRecordReader reader,
      HadoopInputFile file,
      Configuration conf,
      ParquetMetadata footer)
      throws IOException, InterruptedException {
    Path path = file.getPath().getFileSystem(conf).makeQualified(file.getPath());
    String name = "fs." + path.toUri().getScheme() + ".impl";
    conf.setBoolean(name + ".disable.cache", true);
    conf.setClassLoader(NoStore.class.getClassLoader());
    conf.set(name, NoStore.class.getName());
    reader.initialize(
        new FileSplit(path, 0, 0, new String[0]),
        new TaskAttemptContextImpl(conf, new TaskAttemptID()),
        Option.apply(footer));
  }

  /** Has whatever file it is asked for, and nothing in it. */
  public static final class NoStore extends RawLocalFileSystem {
    @Override
    public FileStatus getFileStatus(Path path) {
      return new FileStatus(0, false, 1, 1, 0, path);
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) {
      return new FSDataInputStream(new NoStream());
    }

    /** Paths of every scheme are its own. */
    @Override
    protected void checkPath(Path path) {}
  }

  /** Stands for the file where none may be read or closed. */
  private static final class NoStream extends InputStream implements Seekable, PositionedReadable {
    @Override
    public int read() throws IOException {
      throw fed();
    }

    @Override
    public void seek(long position) throws IOException {
      throw fed();
    }

    @Override
    public long getPos() {
      return 0;
    }

    @Override
    public boolean seekToNewSource(long position) throws IOException {
      throw fed();
    }

    @Override
    public int read(long position, byte[] into, int offset, int length) throws IOException {
      throw fed();
    }

    @Override
    public void readFully(long position, byte[] into, int offset, int length) throws IOException {
      throw fed();
    }

    @Override
    public void readFully(long position, byte[] into) throws IOException {
      throw fed();
    }

    private static IOException fed() {
      return new IOException("this reader is fed with pages and must not read");
    }
  }
}
