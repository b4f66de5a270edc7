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
 * Parses page headers and page indexes. parquet-java's own entry points allocate as many elements
 * as a list claims, and follow any depth of nested structures. This reader allows a list or text no
 * more elements than there are bytes, and no deeper nesting than the format has.
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
   * A page's header and its length.
   *
   * @param length of the header in bytes
   */
  public record Header(PageHeader header, int length) {}

  /** Parses the page header at the start of {@code bytes}. */
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

  /** A protocol for structures of which only a part is needed. */
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

  /** A stream over bytes that knows how many were read. */
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
