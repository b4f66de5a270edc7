// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import latebloom.parquet.encoding.Bytes;
import org.apache.parquet.format.ColumnIndex;
import org.apache.parquet.format.OffsetIndex;
import org.apache.parquet.format.PageHeader;
import shaded.parquet.org.apache.thrift.TBase;
import shaded.parquet.org.apache.thrift.TException;
import shaded.parquet.org.apache.thrift.protocol.TCompactProtocol;
import shaded.parquet.org.apache.thrift.protocol.TProtocol;
import shaded.parquet.org.apache.thrift.protocol.TProtocolException;
import shaded.parquet.org.apache.thrift.protocol.TStruct;
import shaded.parquet.org.apache.thrift.transport.TIOStreamTransport;

/**
 * Parses the structures of a file that are fetched with its pages: their headers and indexes.
 * parquet-java's own entry points allocate as many elements as a list claims to have, and go down
 * as many structures as lie in each other. Here a list or text has no more elements than there are
 * bytes, and structures lie no deeper than any of the format does.
 */
public final class ThriftReader {
  private static final int DEEPEST = 32;

  private final Stream in;
  private final int start;

  private ThriftReader(Bytes bytes) {
    this.in = new Stream(bytes);
    this.start = bytes.start();
  }

  /**
   * A page's header, with what is behind it.
   *
   * @param length of the header in bytes
   */
  public record Header(PageHeader header, int length) {}

  /** The page header that {@code bytes} begin with. */
  public static Header pageHeader(Bytes bytes) throws IOException {
    ThriftReader reader = new ThriftReader(bytes);
    PageHeader header = reader.read(new PageHeader());
    return new Header(header, reader.in.position() - reader.start);
  }

  static OffsetIndex offsetIndex(Bytes bytes) throws IOException {
    return new ThriftReader(bytes).read(new OffsetIndex());
  }

  static ColumnIndex columnIndex(Bytes bytes) throws IOException {
    return new ThriftReader(bytes).read(new ColumnIndex());
  }

  /** For structures of which only a part is wanted. */
  public static TProtocol protocol(Bytes bytes) throws TException {
    return new Protocol(new Stream(bytes));
  }

  private <T extends TBase<?, ?>> T read(T into) throws IOException {
    try {
      into.read(new Protocol(in));
      return into;
    } catch (TException e) {
      throw new IOException(
          "can not read " + into.getClass().getSimpleName() + ": " + e.getMessage(), e);
    }
  }

  /** Stream over a stretch of bytes that knows how far it was read. */
  private static final class Stream extends ByteArrayInputStream {
    Stream(Bytes b) {
      super(b.array(), b.start(), b.length());
    }

    int position() {
      return pos;
    }
  }

  private static final class Protocol extends TCompactProtocol {
    private int depth;

    Protocol(Stream in) throws TException {
      super(new TIOStreamTransport(in), in.available(), in.available());
    }

    @Override
    public TStruct readStructBegin() throws TException {
      if (++depth > DEEPEST) {
        throw new TProtocolException(
            TProtocolException.DEPTH_LIMIT, "structures " + depth + " deep in each other");
      }
      return super.readStructBegin();
    }

    @Override
    public void readStructEnd() throws TException {
      depth--;
      super.readStructEnd();
    }
  }
}
