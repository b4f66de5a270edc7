// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.IOException;
import java.lang.ref.SoftReference;
import java.util.List;
import java.util.Map;
import latebloom.read.RecentlyUsed;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.io.SeekableInputStream;

/**
 * Footers of the files that a scan reads in several splits: fetched and parsed once in a process,
 * where Spark's reader parses the whole of it for each split, also what it says of row groups that
 * are another split's: of a file of many columns and row groups that takes longer than a selective scan.
 *
 * <p>A footer is shared by the tasks of one run of a scan only, and only while the file has the
 * length and the time of modification that it was read at. The least recently used go first, all of
 * them before memory runs out.
 */
public final class FooterCache {
  private static final int FILES = 16;

  private static final Map<Key, SoftReference<ParquetMetadata>> FOOTERS =
      RecentlyUsed.map(FILES);

  private record Key(String run, Path path, long length, long modified) {}

  private FooterCache() {}

  /**
   * The footer of a file, with the row groups whose middle byte lies in {@code [start, end)}: each
   * row group is one split's.
   *
   * @param run identifies the run of the scan
   * @param file of {@code status}
   * @param in read if the footer is not known yet; where it stands afterwards is not settled
   * @throws IOException if the footer cannot be read
   */
  public static ParquetMetadata footer(
      String run,
      FileStatus status,
      HadoopInputFile file,
      SeekableInputStream in,
      long start,
      long end)
      throws IOException {
    HadoopReadOptions.Builder options =
        HadoopReadOptions.builder(file.getConfiguration(), file.getPath());
    if (start > 0 || end < status.getLen()) {
      Key key = new Key(run, status.getPath(), status.getLen(), status.getModificationTime());
      SoftReference<ParquetMetadata> known = FOOTERS.get(key);
      ParquetMetadata all = known == null ? null : known.get();
      if (all == null) {
        all = ParquetFileReader.readFooter(file, options.build(), in);
        FOOTERS.put(key, new SoftReference<>(all));
      }
      // Where a column lies may be readable only with its key, which the scan may not have.
      if (!isEncrypted(all)) {
        List<BlockMetaData> within =
            all.getBlocks().stream().filter(b -> isWithin(b, start, end)).toList();
        return new ParquetMetadata(all.getFileMetaData(), within);
      }
    }
    return ParquetFileReader.readFooter(file, options.withRange(start, end).build(), in);
  }

  /** Whether a file's columns are encrypted, be its footer readable or not. */
  public static boolean isEncrypted(ParquetMetadata footer) {
    EncryptionType type = footer.getFileMetaData().getEncryptionType();
    return type != null && type != EncryptionType.UNENCRYPTED;
  }

  // As parquet-java and Spark's other readers choose, so that the splits are as even as theirs.
  private static boolean isWithin(BlockMetaData block, long start, long end) {
    long middle = block.getStartingPos() + block.getCompressedSize() / 2;
    return start <= middle && middle < end;
  }
}
