// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.util.List;
import latebloom.orc.encoding.CorruptStreamException;
import latebloom.orc.stripe.StripePlace;
import latebloom.orc.stripe.StripeStreams;
import latebloom.read.io.RangeFetcher.WantedRange;
import org.apache.orc.DataReader;
import org.apache.orc.OrcProto;
import org.apache.orc.StripeInformation;
import org.apache.orc.impl.DataReaderProperties;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.OrcCodecPool;
import org.apache.orc.impl.ReaderImpl;
import org.apache.orc.impl.RecordReaderUtils;

/**
 * Checks the streams' lengths in stripes that are left to Spark's reader. orc-core makes an object
 * for each 2 GiB of a stream's length before it reads a byte, so that a damaged length takes all
 * memory; and Spark, unlike a reader without filters, may never read the stripe.
 */
public final class StreamLengths {
  private StreamLengths() {}

  /**
   * Rejects a stripe whose streams are longer than itself.
   *
   * @param file for messages
   * @param source what {@code reader} reads
   * @param from offset of the split in the file; checks the stripes that start in it
   * @param to offset of its end
   */
  public static void check(
      ReaderImpl reader, String file, DataReaderProperties.Builder source, long from, long to)
      throws IOException {
    InStream.StreamOptions compression =
        InStream.options()
            .withCodec(OrcCodecPool.getCodec(reader.getCompressionKind()))
            .withBufferSize(reader.getCompressionSize());
    DataReaderProperties properties =
        source.withCompression(compression).withZeroCopy(false).build();
    List<StripeInformation> stripes = reader.getStripes();
    try (DataReader data = RecordReaderUtils.createDefaultDataReader(properties)) {
      data.open();
      for (int i = 0; i < stripes.size(); i++) {
        StripeInformation stripe = stripes.get(i);
        if (from <= stripe.getOffset() && stripe.getOffset() < to) {
          new StripePlace(file, i)
              .read(
                  "footer",
                  () -> {
                    checkFooter(stripe, reader.getFileTail().getFileLength());
                    return check(stripe, data.readStripeFooter(stripe));
                  });
        }
      }
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  /** Throws if the footer is not in the file: orc-core allocates its length first. */
  private static void checkFooter(StripeInformation stripe, long fileLength) {
    WantedRange footer = StripeStreams.footerRange(stripe, (array, start, n) -> {});
    if (footer.offset() > fileLength - footer.length()) {
      throw new CorruptStreamException(
          footer.length() + " bytes at " + footer.offset() + ", in a file of " + fileLength);
    }
  }

  private static Void check(StripeInformation stripe, OrcProto.StripeFooter footer) {
    long room = stripe.getIndexLength() + stripe.getDataLength();
    long left = room;
    for (OrcProto.Stream stream : footer.getStreamsList()) {
      if (StripeStreams.isPlaceholder(stream.getKind())) {
        continue;
      }
      if (stream.getLength() < 0 || stream.getLength() > left) {
        throw new CorruptStreamException(
            "a stream of "
                + Long.toUnsignedString(stream.getLength())
                + " bytes, where "
                + left
                + " of the stripe's "
                + room
                + " remain");
      }
      left -= stream.getLength();
    }
    return null;
  }
}
