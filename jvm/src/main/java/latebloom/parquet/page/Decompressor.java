// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page;

import com.github.luben.zstd.ZstdDecompressCtx;
import io.airlift.compress.lz4.Lz4Decompressor;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.encoding.CorruptPageException;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.xerial.snappy.Snappy;

/**
 * Decompresses pages from byte array to byte array with the libraries that Spark ships, without
 * direct buffers, and without {@code lz4-java}, whose releases have open advisories (aircompressor
 * reads both forms of LZ4). The page header gives the size; a stream of another size is an error,
 * found before any write past the array.
 *
 * <p>One per file; not thread safe.
 */
public final class Decompressor implements Closeable {
  private final CompressionCodecFactory others;
  private ZstdDecompressCtx zstd;
  private Lz4Decompressor lz4;

  /**
   * @param others decompresses all other codecs, or refuses them with its own message
   */
  public Decompressor(CompressionCodecFactory others) {
    this.others = others;
  }

  /**
   * The most bytes that {@code length} bytes can decompress to, so that a larger claim is refused
   * before it allocates memory. Snappy copies 64 bytes by an element of three; deflate 258 by two
   * bits; a block of Zstandard, of four bytes or more, has up to 128 KiB; a byte of LZ4 adds 255.
   */
  static long mostBytes(CompressionCodecName codec, int length) {
    return switch (codec) {
      case UNCOMPRESSED -> length;
      case SNAPPY -> length * 22L;
      case GZIP -> length * 1032L;
      case ZSTD -> length * (128L << 10) / 4;
      case LZ4_RAW, LZ4 -> length * 255L;
      default -> Integer.MAX_VALUE;
    };
  }

  /**
   * Fills {@code to[at, at + size)} from {@code from}.
   *
   * @throws CorruptPageException if {@code from} is no such stream or holds another number of bytes
   */
  void decompress(CompressionCodecName codec, Bytes from, byte[] to, int at, int size)
      throws IOException {
    // Native code does not check these bounds.
    Objects.checkFromIndexSize(at, size, to.length);
    Objects.checkFromIndexSize(from.start(), from.length(), from.array().length);
    int n;
    try {
      n =
          switch (codec) {
            case UNCOMPRESSED -> copy(from, to, at, size);
            case SNAPPY -> snappy(from, to, at, size);
            case ZSTD -> zstd(from, to, at, size);
            case GZIP -> gzip(from, to, at, size);
            case LZ4_RAW ->
                lz4().decompress(from.array(), from.start(), from.length(), to, at, size);
            case LZ4 -> framedLz4(from, to, at, size);
            default -> other(codec, from, to, at, size);
          };
    } catch (CorruptPageException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new CorruptPageException("cannot decompress " + codec + ": " + e.getMessage(), e);
    }
    if (n != size) {
      throw new CorruptPageException(
          codec + " holds " + n + " bytes, the page header says " + size);
    }
  }

  private static int copy(Bytes from, byte[] to, int at, int size) {
    System.arraycopy(from.array(), from.start(), to, at, Math.min(size, from.length()));
    return from.length();
  }

  // Snappy's native code writes as many bytes as the stream's preamble says: compare it first.
  private static int snappy(Bytes from, byte[] to, int at, int size) throws IOException {
    int says = Snappy.uncompressedLength(from.array(), from.start(), from.length());
    return says != size
        ? says
        : Snappy.uncompress(from.array(), from.start(), from.length(), to, at);
  }

  private int zstd(Bytes from, byte[] to, int at, int size) {
    if (zstd == null) {
      zstd = new ZstdDecompressCtx();
    }
    return zstd.decompressByteArray(to, at, size, from.array(), from.start(), from.length());
  }

  private static int gzip(Bytes from, byte[] to, int at, int size) throws IOException {
    try (GZIPInputStream in =
        new GZIPInputStream(
            new ByteArrayInputStream(from.array(), from.start(), from.length()), 8192)) {
      int n = in.readNBytes(to, at, size);
      return in.read() < 0 ? n : size + 1;
    }
  }

  private Lz4Decompressor lz4() {
    if (lz4 == null) {
      lz4 = new Lz4Decompressor();
    }
    return lz4;
  }

  /**
   * Hadoop's framing of LZ4: blocks of a big-endian size, then one or more of a big-endian
   * compressed size and that many bytes, until the block's size is reached.
   */
  private int framedLz4(Bytes from, byte[] to, int at, int size) {
    byte[] a = from.array();
    int pos = from.start();
    int done = 0;
    while (pos < from.end()) {
      int block = frameSize(from, pos);
      pos += Integer.BYTES;
      int blockEnd = done + block;
      if (block < 0 || blockEnd < done || blockEnd > size) {
        throw new CorruptPageException("an LZ4 block of " + block + " bytes in a page of " + size);
      }
      while (done < blockEnd) {
        int length = frameSize(from, pos);
        pos += Integer.BYTES;
        if (length < 0 || length > from.end() - pos) {
          throw new CorruptPageException("an LZ4 frame of " + length + " bytes runs past the page");
        }
        int n = lz4().decompress(a, pos, length, to, at + done, blockEnd - done);
        if (n == 0) {
          throw new CorruptPageException("an LZ4 frame that holds nothing");
        }
        done += n;
        pos += length;
      }
    }
    return done;
  }

  private static int frameSize(Bytes from, int pos) {
    if (pos > from.end() - Integer.BYTES) {
      throw new CorruptPageException("an LZ4 frame without its size");
    }
    return Integer.reverseBytes(Bytes.intAt(from.array(), pos));
  }

  private int other(CompressionCodecName codec, Bytes from, byte[] to, int at, int size)
      throws IOException {
    InputStream in =
        others
            .getDecompressor(codec)
            .decompress(BytesInput.from(from.array(), from.start(), from.length()), size)
            .toInputStream();
    int n = in.readNBytes(to, at, size);
    return in.read() < 0 ? n : size + 1;
  }

  @Override
  public void close() {
    if (zstd != null) {
      zstd.close();
      zstd = null;
    }
    others.release();
  }
}
