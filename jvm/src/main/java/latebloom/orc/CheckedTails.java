// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.orc.FileFormatException;
import org.apache.orc.OrcProto;
import org.apache.orc.protobuf.CodedInputStream;
import org.apache.orc.protobuf.InvalidProtocolBufferException;

/**
 * The file system through which orc-core opens ORC files. orc-core reads a file's last bytes,
 * allocates the tail length that the postscript claims before it compares that with the file's
 * length, and allocates a buffer of the claimed chunk size for every stream. This class checks
 * those bytes as orc-core reads them, without a request of its own.
 */
public final class CheckedTails extends FilterFileSystem {
  /** A chunk's length has 23 bits; orc-core's writers refuse to make larger ones. */
  private static final int MOST_CHUNK_BYTES = 1 << 23;

  public CheckedTails(FileSystem fs) {
    super(fs);
  }

  @Override
  public FSDataInputStream open(Path file, int bufferSize) throws IOException {
    return new Stream(file, super.open(file, bufferSize));
  }

  /** Checks the bytes of the first read, which is of the end of the file. */
  private static final class Stream extends FSDataInputStream {
    private final Path file;
    private boolean checked;

    Stream(Path file, FSDataInputStream in) {
      super(in);
      this.file = file;
    }

    @Override
    public void readFully(long position, byte[] into, int offset, int length) throws IOException {
      super.readFully(position, into, offset, length);
      if (!checked) {
        checked = true;
        check(position + length, into, offset, length);
      }
    }

    /** Leaves anything but a postscript to orc-core, which reports it. */
    private void check(long fileLength, byte[] bytes, int offset, int length) throws IOException {
      int end = offset + length - 1;
      int postscriptLength = bytes[end] & 0xff;
      if (postscriptLength >= length) {
        return;
      }
      OrcProto.PostScript claims;
      try {
        claims =
            OrcProto.PostScript.parseFrom(
                CodedInputStream.newInstance(bytes, end - postscriptLength, postscriptLength));
      } catch (InvalidProtocolBufferException e) {
        return;
      }
      // The sum that orc-core makes; it may exceed an int.
      int tail =
          1
              + postscriptLength
              + (int) claims.getFooterLength()
              + (int) claims.getMetadataLength()
              + (int) claims.getStripeStatisticsLength();
      int more = Math.max(0, tail - length);
      if (more > fileLength - length) {
        throw corrupt(
            "a footer of "
                + claims.getFooterLength()
                + " bytes, metadata of "
                + claims.getMetadataLength()
                + " and statistics of "
                + claims.getStripeStatisticsLength()
                + ", where the file has "
                + fileLength);
      }
      boolean compressed = claims.getCompression() != OrcProto.CompressionKind.NONE;
      if (compressed && (int) claims.getCompressionBlockSize() > MOST_CHUNK_BYTES) {
        throw corrupt(
            "compressed chunks of up to "
                + claims.getCompressionBlockSize()
                + " bytes, where "
                + MOST_CHUNK_BYTES
                + " are possible");
      }
    }

    private FileFormatException corrupt(String claims) {
      return new FileFormatException(
          "corrupt ORC file "
              + file
              + ": the postscript claims "
              + claims
              + ". Write the file again, or set spark.sql.files.ignoreCorruptFiles=true to skip"
              + " such files.");
    }
  }
}
