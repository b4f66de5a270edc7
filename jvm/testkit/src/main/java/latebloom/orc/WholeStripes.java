// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.Map;
import latebloom.orc.encoding.Calendars;
import latebloom.orc.flat.StripeColumn;
import latebloom.orc.stripe.ColumnSource;
import latebloom.orc.stripe.SplitContext;
import latebloom.orc.stripe.Strides;
import latebloom.read.task.Counters;
import latebloom.read.task.ScanMemory;
import latebloom.read.vector.BlockArrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.orc.CompressionKind;
import org.apache.orc.DataReader;
import org.apache.orc.OrcFile;
import org.apache.orc.OrcProto;
import org.apache.orc.Reader;
import org.apache.orc.StripeInformation;
import org.apache.orc.impl.BufferChunk;
import org.apache.orc.impl.DataReaderProperties;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.OrcCodecPool;
import org.apache.orc.impl.PositionProvider;
import org.apache.orc.impl.ReaderImpl;
import org.apache.orc.impl.RecordReaderUtils;
import org.apache.spark.sql.types.DataType;

/** The stripes of an ORC file, each fetched whole, for suites and benchmarks of decoders. */
public final class WholeStripes implements AutoCloseable {
  private final Path path;
  private final FileSystem fs;
  private final Reader reader;
  private final InStream.StreamOptions options = InStream.options();

  public WholeStripes(Configuration conf, Path path) throws IOException {
    this.path = path;
    this.fs = path.getFileSystem(conf);
    this.reader = OrcFile.createReader(path, OrcFile.readerOptions(conf).filesystem(fs));
    if (reader.getCompressionKind() != CompressionKind.NONE) {
      options
          .withCodec(OrcCodecPool.getCodec(reader.getCompressionKind()))
          .withBufferSize(reader.getCompressionSize());
    }
  }

  public Reader reader() {
    return reader;
  }

  public int count() {
    return reader.getStripes().size();
  }

  /** Reads a stripe. */
  public Stripe stripe(int number) throws IOException {
    return new Stripe(number);
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }

  /** A stripe and its bytes, which tests may change before they create columns. */
  public final class Stripe {
    private final StripeInformation info;
    private final int number;
    private final OrcProto.StripeFooter footer;
    public final byte[] bytes;

    private Stripe(int number) throws IOException {
      this.number = number;
      this.info = reader.getStripes().get(number);
      DataReaderProperties properties =
          DataReaderProperties.builder()
              .withFileSystem(fs)
              .withPath(path)
              .withCompression(new InStream.StreamOptions(options))
              .build();
      try (DataReader data = RecordReaderUtils.createDefaultDataReader(properties)) {
        footer = data.readStripeFooter(info);
        data.getCompressionOptions().withCodec(null);
      }
      bytes = new byte[(int) (info.getIndexLength() + info.getDataLength())];
      try (FSDataInputStream in = fs.open(path)) {
        in.readFully(info.getOffset(), bytes);
      }
    }

    public int rows() {
      return (int) info.getNumberOfRows();
    }

    /** A column by its number in the file's schema. */
    public StripeColumn column(int id, DataType type, Counters counters) {
      return new StripeColumn(
          new Column(this, id),
          reader.getSchema().findSubtype(id),
          type,
          true,
          new SplitContext(
              (ReaderImpl) reader,
              false,
              null,
              options,
              new ScanMemory(counters),
              counters,
              new BlockArrays()));
    }

    private InStream stream(long offset, long length) {
      ByteBuffer data = ByteBuffer.wrap(bytes, (int) offset, (int) length).slice();
      return InStream.create("stream", new BufferChunk(data, offset), offset, length, options);
    }
  }

  private final class Column implements ColumnSource {
    private final Stripe stripe;
    private final int id;
    private final Map<OrcProto.Stream.Kind, long[]> ranges =
        new EnumMap<>(OrcProto.Stream.Kind.class);
    private OrcProto.RowIndex index;

    Column(Stripe stripe, int id) {
      this.stripe = stripe;
      this.id = id;
      long offset = 0;
      for (OrcProto.Stream s : stripe.footer.getStreamsList()) {
        if (s.getColumn() == id) {
          ranges.put(s.getKind(), new long[] {offset, s.getLength()});
        }
        offset += s.getLength();
      }
    }

    @Override
    public Strides strides() {
      int length = has(OrcProto.Stream.Kind.ROW_INDEX) ? reader.getRowIndexStride() : 0;
      return Strides.of(stripe.rows(), length);
    }

    @Override
    public OrcProto.ColumnEncoding encoding() {
      return stripe.footer.getColumns(id);
    }

    @Override
    public boolean has(OrcProto.Stream.Kind kind) {
      return ranges.containsKey(kind);
    }

    @Override
    public InStream open(OrcProto.Stream.Kind kind) {
      long[] range = ranges.get(kind);
      return stripe.stream(range[0], range[1]);
    }

    @Override
    public PositionProvider positions(int stride) throws IOException {
      if (index == null) {
        index =
            OrcProto.RowIndex.parseFrom(
                InStream.createCodedInputStream(open(OrcProto.Stream.Kind.ROW_INDEX)));
      }
      Iterator<Long> positions = index.getEntry(stride).getPositionsList().iterator();
      return positions::next;
    }

    @Override
    public Calendars calendars() {
      return new Calendars(
          stripe.footer.getWriterTimezone(),
          reader.writerUsedProlepticGregorian(),
          reader.getConvertToProlepticGregorian());
    }
  }
}
