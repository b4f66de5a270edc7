// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.footer;

import java.io.IOException;
import java.util.List;
import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.page.ThriftReader;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import shaded.parquet.org.apache.thrift.TException;
import shaded.parquet.org.apache.thrift.protocol.TField;
import shaded.parquet.org.apache.thrift.protocol.TList;
import shaded.parquet.org.apache.thrift.protocol.TProtocol;
import shaded.parquet.org.apache.thrift.protocol.TProtocolException;
import shaded.parquet.org.apache.thrift.protocol.TProtocolUtil;

/**
 * Computes the middle bytes of a file's row groups, by which parquet-java assigns each to one split
 * ({@code ParquetMetadataConverter.filterFileMetaDataByMidpoint}). parquet-java uses the serialised
 * footer; its own classes keep neither the row group's compressed size nor whether a dictionary's
 * offset is absent or 0. Other tasks, above all those of Spark's own reader, must find the same row
 * groups in a split.
 */
final class RowGroupMiddles {
  // Thrift's types of fields; the shaded jar lacks Thrift's own constants.
  private static final byte STOP = 0;
  private static final byte I64 = 10;
  private static final byte LIST = 15;

  // The ids of fields in FileMetaData and RowGroup.
  private static final short ROW_GROUPS = 4;
  private static final short COLUMNS = 1;
  private static final short TOTAL_COMPRESSED_SIZE = 6;

  private final TProtocol in;

  private RowGroupMiddles(TProtocol in) {
    this.in = in;
  }

  /**
   * @param footer serialised as in the file, not encrypted
   * @param blocks the row groups that parquet-java read from it
   */
  static long[] of(Bytes footer, List<BlockMetaData> blocks) throws IOException {
    try {
      return new RowGroupMiddles(ThriftReader.protocol(footer)).read(blocks);
    } catch (TException e) {
      throw new IOException("can not read the row groups of the footer: " + e.getMessage(), e);
    }
  }

  private long[] read(List<BlockMetaData> blocks) throws TException {
    long[] middles = new long[blocks.size()];
    in.readStructBegin();
    for (TField f = in.readFieldBegin(); f.type != STOP; f = in.readFieldBegin()) {
      if (f.id == ROW_GROUPS && f.type == LIST) {
        TList groups = in.readListBegin();
        if (groups.size != middles.length) {
          throw new TProtocolException(groups.size + " row groups, then " + middles.length);
        }
        for (int i = 0; i < middles.length; i++) {
          middles[i] = middle(blocks.get(i));
        }
      } else {
        TProtocolUtil.skip(in, f.type);
      }
    }
    return middles;
  }

  private long middle(BlockMetaData block) throws TException {
    long start = 0;
    long size = block.getCompressedSize();
    in.readStructBegin();
    for (TField f = in.readFieldBegin(); f.type != STOP; f = in.readFieldBegin()) {
      if (f.id == COLUMNS && f.type == LIST) {
        start = startOfFirst();
      } else if (f.id == TOTAL_COMPRESSED_SIZE && f.type == I64) {
        size = in.readI64();
      } else {
        TProtocolUtil.skip(in, f.type);
      }
    }
    in.readStructEnd();
    return start + size / 2;
  }

  /** The offset of the first column chunk of a list. */
  private long startOfFirst() throws TException {
    TList columns = in.readListBegin();
    long start = 0;
    for (int i = 0; i < columns.size; i++) {
      if (i > 0) {
        TProtocolUtil.skip(in, columns.elemType);
      } else {
        ColumnChunk first = new ColumnChunk();
        first.read(in);
        if (!first.isSetMeta_data()) {
          throw new TProtocolException("the first column of a row group has no metadata");
        }
        start = start(first.getMeta_data());
      }
    }
    return start;
  }

  private static long start(ColumnMetaData chunk) {
    long data = chunk.getData_page_offset();
    return chunk.isSetDictionary_page_offset()
        ? Math.min(data, chunk.getDictionary_page_offset())
        : data;
  }
}
