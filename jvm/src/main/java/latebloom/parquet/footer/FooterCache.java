// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.footer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import latebloom.parquet.encoding.Bytes;
import latebloom.read.io.FileTail;
import latebloom.read.io.MetadataCache;
import latebloom.read.io.StoreSpeed;
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
 * Caches the footers of files in {@link MetadataCache}: fetches and parses each once per process.
 * Spark's reader parses the whole footer for each split, row groups of other splits included, which
 * takes longer than a selective scan of a file with many columns and row groups.
 */
public final class FooterCache {
  /** Bytes after the footer: its length and a magic number. */
  private static final int BEHIND_FOOTER = 8;

  /** How many times more memory a parsed footer takes, about. */
  private static final int PARSED = 8;

  /**
   * A footer, and the fetched end of the file that contains it.
   *
   * @param metadata with the row groups of a split
   */
  public record Footer(ParquetMetadata metadata, FileTail tail) {}

  /** The footer of a file with all its row groups. */
  private static final class Whole implements MetadataCache.Metadata {
    private final Footer footer;
    private final int length;

    /** Offset of the middle of each row group; null as long as nobody needs it. */
    private volatile long[] middles;

    Whole(Footer footer, int length) {
      this.footer = footer;
      this.length = length;
    }

    @Override
    public long bytes() {
      return (long) PARSED * length + footer.tail.heapBytes();
    }

    Footer all() {
      return with(footer.metadata.getBlocks());
    }

    Footer within(long start, long end, long fileLength, SeekableInputStream in)
        throws IOException {
      List<BlockMetaData> all = footer.metadata.getBlocks();
      if (middles == null) {
        byte[] read = new byte[length];
        FooterStream from = new FooterStream(footer.tail, in);
        from.seek(fileLength - BEHIND_FOOTER - length);
        from.readFully(read);
        middles = RowGroupMiddles.of(new Bytes(read, 0, length), all);
      }
      List<BlockMetaData> within = new ArrayList<>();
      for (int i = 0; i < middles.length; i++) {
        if (start <= middles[i] && middles[i] < end) {
          within.add(all.get(i));
        }
      }
      return with(within);
    }

    private Footer with(List<BlockMetaData> blocks) {
      return new Footer(
          new ParquetMetadata(footer.metadata.getFileMetaData(), new ArrayList<>(blocks)),
          footer.tail);
    }
  }

  private FooterCache() {}

  /**
   * The footer of a file, with the row groups whose middle byte lies in {@code [start, end)}, so
   * that each row group belongs to one split.
   *
   * @param key of the file as {@code status} has it; the file must be known to be the same if its
   *     footer is cached
   * @param in read if the footer is not cached; its position afterwards is undefined
   * @param maxBytes of all cached metadata
   * @throws IOException if the footer cannot be read
   */
  public static Footer footer(
      MetadataCache.Key key,
      HadoopInputFile file,
      SeekableInputStream in,
      long start,
      long end,
      long maxBytes)
      throws IOException {
    HadoopReadOptions.Builder options =
        HadoopReadOptions.builder(file.getConfiguration(), file.getPath());
    boolean isPart = start > 0 || end < key.length();
    if (isPart || key.isForAll()) {
      Whole all = MetadataCache.get(key, Whole.class);
      if (all == null) {
        Footer read = read(key, file, in, options.build());
        // A column's offsets may be readable only with its key, which the scan may lack.
        if (!isEncrypted(read.metadata)) {
          all = new Whole(read, length(key, read, in));
          MetadataCache.put(key, all, maxBytes);
        } else if (!isPart) {
          return read;
        }
      }
      if (all != null) {
        return isPart ? all.within(start, end, key.length(), in) : all.all();
      }
    }
    return read(key, file, in, options.withRange(start, end).build());
  }

  private static int length(MetadataCache.Key key, Footer footer, SeekableInputStream in)
      throws IOException {
    FooterStream from = new FooterStream(footer.tail, in);
    from.seek(key.length() - BEHIND_FOOTER);
    return BytesUtils.readIntLittleEndian(from);
  }

  private static Footer read(
      MetadataCache.Key key,
      HadoopInputFile file,
      SeekableInputStream in,
      ParquetReadOptions options)
      throws IOException {
    ParquetBytes bytes = new ParquetBytes(in, false, FileTail.NONE);
    StoreSpeed speed = StoreSpeed.of(key.path().toUri());
    FileTail tail = FileTail.read(bytes, key.length(), speed, key.isForAll());
    return new Footer(
        ParquetFileReader.readFooter(file, options, new FooterStream(tail, in)), tail);
  }

  /** Whether a file's columns are encrypted, whether or not its footer is. */
  public static boolean isEncrypted(ParquetMetadata footer) {
    EncryptionType type = footer.getFileMetaData().getEncryptionType();
    return type != null && type != EncryptionType.UNENCRYPTED;
  }
}
