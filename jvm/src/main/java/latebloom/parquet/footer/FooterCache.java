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
 * Caches the footers of files that a scan reads in several splits: fetches and parses each once per
 * process. Spark's reader parses the whole footer for each split, row groups of other splits
 * included, which takes longer than a selective scan of a file with many columns and row groups.
 *
 * <p>Only tasks of one run of a scan share a footer, and only while the file keeps its length and
 * modification time. The least recently used footers are evicted first, all of them before memory
 * runs out.
 */
public final class FooterCache {
  private static final int FILES = 16;

  /** Bytes after the footer: its length and a magic number. */
  private static final int BEHIND_FOOTER = 8;

  private static final Map<Key, SoftReference<Whole>> FOOTERS = RecentlyUsed.map(FILES);

  private record Key(String run, Path path, long length, long modified) {
    Key(String run, FileStatus file) {
      this(run, file.getPath(), file.getLen(), file.getModificationTime());
    }
  }

  /**
   * A footer, and the fetched end of the file that contains it.
   *
   * @param metadata with the row groups of a split
   */
  public record Footer(ParquetMetadata metadata, FileTail tail) {}

  /**
   * The footer of a file with all its row groups.
   *
   * @param middles offset of the middle of each row group; null if that may need a key
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
   * Whether the cache has the footer of a file.
   *
   * @param status as given to {@link #footer}
   */
  public static boolean isKnown(String run, FileStatus status) {
    SoftReference<Whole> known = FOOTERS.get(new Key(run, status));
    return known != null && known.get() != null;
  }

  /**
   * The footer of a file, with the row groups whose middle byte lies in {@code [start, end)}, so
   * that each row group belongs to one split.
   *
   * @param run identifies the run of the scan
   * @param file of {@code status}
   * @param in read if the footer is not cached; its position afterwards is undefined
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
    // A column's offsets may be readable only with its key, which the scan may lack.
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

  /** Whether a file's columns are encrypted, whether or not its footer is. */
  public static boolean isEncrypted(ParquetMetadata footer) {
    EncryptionType type = footer.getFileMetaData().getEncryptionType();
    return type != null && type != EncryptionType.UNENCRYPTED;
  }
}
