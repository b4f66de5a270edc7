// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.footer;

import java.io.IOException;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import latebloom.parquet.encoding.Bytes;
import latebloom.read.io.FileTail;
import latebloom.read.io.StoreSpeed;
import latebloom.read.task.RecentlyUsed;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.io.SeekableInputStream;

/**
 * Footers of the files that a scan reads in several splits: fetched and parsed once in a process,
 * where Spark's reader parses the whole of it for each split, also what it says of row groups that
 * are another split's: of a file of many columns and row groups that takes longer than a selective
 * scan.
 *
 * <p>A footer is shared by the tasks of one run of a scan only, and only while the file has the
 * length and the time of modification that it was read at. The least recently used go first, all of
 * them before memory runs out.
 */
public final class FooterCache {
  private static final int FILES = 16;

  /** The footer's length and a magic number. */
  private static final int BEHIND_FOOTER = 8;

  private static final Map<Key, SoftReference<Whole>> FOOTERS = RecentlyUsed.map(FILES);

  private record Key(String run, Path path, long length, long modified) {
    Key(String run, FileStatus file) {
      this(run, file.getPath(), file.getLen(), file.getModificationTime());
    }
  }

  /**
   * A footer, and the bytes at the file's end that it was in.
   *
   * @param metadata with the row groups of a split
   */
  public record Footer(ParquetMetadata metadata, FileTail tail) {}

  /**
   * The footer of a file with all its row groups.
   *
   * @param middles where the middle of each row group lies; null if that may need a key
   */
  private record Whole(Footer footer, long[] middles) {
    Footer within(long start, long end) {
      List<BlockMetaData> all = footer.metadata.getBlocks();
      List<BlockMetaData> within = new ArrayList<>();
      for (int i = 0; i < middles.length; i++) {
        if (start <= middles[i] && middles[i] < end) {
          within.add(all.get(i));
        }
      }
      return new Footer(
          new ParquetMetadata(footer.metadata.getFileMetaData(), within), footer.tail);
    }
  }

  private FooterCache() {}

  /**
   * Whether the footer of a file need not be read.
   *
   * @param status as given to {@link #footer}
   */
  public static boolean isKnown(String run, FileStatus status) {
    SoftReference<Whole> known = FOOTERS.get(new Key(run, status));
    return known != null && known.get() != null;
  }

  /**
   * The footer of a file, with the row groups whose middle byte lies in {@code [start, end)}: each
   * row group is one split's.
   *
   * @param run identifies the run of the scan
   * @param file of {@code status}
   * @param in read if the footer is not known yet; where it stands afterwards is not settled
   * @throws IOException if the footer cannot be read
   */
  public static Footer footer(
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
      Key key = new Key(run, status);
      SoftReference<Whole> known = FOOTERS.get(key);
      Whole all = known == null ? null : known.get();
      if (all == null) {
        all = readWhole(status, file, in, options.build());
        FOOTERS.put(key, new SoftReference<>(all));
      }
      if (all.middles != null) {
        return all.within(start, end);
      }
    }
    return read(status, file, in, options.withRange(start, end).build());
  }

  private static Footer read(
      FileStatus status, HadoopInputFile file, SeekableInputStream in, ParquetReadOptions options)
      throws IOException {
    ParquetBytes bytes = new ParquetBytes(in, false, FileTail.NONE);
    StoreSpeed speed = StoreSpeed.of(status.getPath().toUri());
    FileTail tail = FileTail.read(bytes, status.getLen(), speed);
    return new Footer(
        ParquetFileReader.readFooter(file, options, new FooterStream(tail, in)), tail);
  }

  private static Whole readWhole(
      FileStatus status, HadoopInputFile file, SeekableInputStream in, ParquetReadOptions options)
      throws IOException {
    Footer all = read(status, file, in, options);
    // Where a column lies may be readable only with its key, which the scan may not have.
    if (isEncrypted(all.metadata)) {
      return new Whole(all, null);
    }
    FooterStream from = new FooterStream(all.tail, in);
    from.seek(status.getLen() - BEHIND_FOOTER);
    int length = BytesUtils.readIntLittleEndian(from);
    byte[] footer = new byte[length];
    from.seek(status.getLen() - BEHIND_FOOTER - length);
    from.readFully(footer);
    return new Whole(
        all, RowGroupMiddles.of(new Bytes(footer, 0, length), all.metadata.getBlocks()));
  }

  /** Whether a file's columns are encrypted, be its footer readable or not. */
  public static boolean isEncrypted(ParquetMetadata footer) {
    EncryptionType type = footer.getFileMetaData().getEncryptionType();
    return type != null && type != EncryptionType.UNENCRYPTED;
  }
}
