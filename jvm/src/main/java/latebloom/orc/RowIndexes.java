// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import latebloom.read.RangeFetcher.Wanted;
import org.apache.orc.OrcProto;
import org.apache.orc.OrcProto.Stream.Kind;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.OutStream;
import org.apache.orc.impl.PositionProvider;
import org.apache.orc.impl.RecordReaderImpl.PositionProviderImpl;
import org.apache.orc.impl.RecordReaderUtils;

/** The row indexes of a stripe's columns, and their Bloom filters: fetched as they are needed. */
final class RowIndexes {
  /** Most bytes of a run of numbers: header and base, 512 of 8 bytes, 31 patches. */
  private static final int LONGEST_RUN = 12 + 512 * 8 + 31 * 8;

  private final OrcStripe stripe;
  private final OrcSplit split;
  private final Map<Integer, OrcProto.RowIndex> known = new HashMap<>();

  RowIndexes(OrcStripe stripe, OrcSplit split) {
    this.stripe = stripe;
    this.split = split;
  }

  void want(int column, List<Wanted> ranges) {
    StripeStream s = stripe.stream(column, Kind.ROW_INDEX);
    if (s != null) {
      s.want(0, s.length, ranges);
    }
  }

  /** Whether all of the columns have an index, which was fetched. */
  boolean hasAll(int[] ids) throws IOException {
    for (int id : ids) {
      if (of(id) == null) {
        return false;
      }
    }
    return ids.length > 0;
  }

  /** Null without one that fits the stripe. */
  OrcProto.RowIndex of(int column) throws IOException {
    StripeStream s = stripe.stream(column, Kind.ROW_INDEX);
    if (split.reader.getRowIndexStride() <= 0 || s == null || s.fetched() == 0) {
      return null;
    }
    OrcProto.RowIndex read = known.get(column);
    if (read == null) {
      try {
        read = OrcProto.RowIndex.parseFrom(InStream.createCodedInputStream(s.open(split.compression)));
      } catch (IOException | RuntimeException e) {
        throw stripe.place().corrupt("row index of column " + column, e);
      }
      known.put(column, read);
    }
    return read.getEntryCount() == stripe.strides() ? read : null;
  }

  /** Where a stride begins in a stream. */
  int start(StripeStream s, int stride) throws IOException {
    return stride == 0 ? 0 : position(s, stride);
  }

  /**
   * Where a stream's bytes end that the strides before {@code stride} need. A run of values may reach
   * into the stride, and with it into the compressed chunk behind the one that the stride begins in.
   * How long chunks are is not known, but between the chunks that two later strides begin in there is
   * at least one.
   */
  int end(StripeStream s, int stride) throws IOException {
    if (stride >= stripe.strides()) {
      return s.length;
    }
    int chunk = position(s, stride);
    if (!split.compression.isCompressed()) {
      return (int) Math.min(s.length, chunk + (long) LONGEST_RUN);
    }
    int bufferSize = Math.max(1, split.compression.getBufferSize());
    int chunks = 2 + (LONGEST_RUN - 1) / bufferSize;
    long most = Math.min(s.length, chunk + chunks * (long) (OutStream.HEADER_SIZE + bufferSize));
    for (int later = stride + 1; later < stripe.strides() && chunk < most; later++) {
      int next = position(s, later);
      if (next > chunk && --chunks == 0) {
        return (int) Math.min(next, most);
      }
      chunk = Math.max(chunk, next);
    }
    return (int) most;
  }

  private int position(StripeStream s, int stride) throws IOException {
    TypeDescription type = split.reader.getSchema().findSubtype(s.column);
    OrcProto.RowIndexEntry entry = of(s.column).getEntry(stride);
    int at =
        RecordReaderUtils.getIndexPosition(
            stripe.encoding(s.column).getKind(),
            type.getCategory(),
            s.kind,
            split.compression.isCompressed(),
            stripe.has(s.column, Kind.PRESENT));
    if (at >= entry.getPositionsCount()
        || entry.getPositions(at) < 0
        || entry.getPositions(at) > s.length) {
      throw stripe
          .place()
          .corrupt("the row index of column " + s.column + " points outside of a stream");
    }
    return (int) entry.getPositions(at);
  }

  /** Where the columns must be sought for the first row of a stride that is not the first. */
  PositionProvider[] positions(int[] ids, int stride) throws IOException {
    PositionProvider[] positions =
        new PositionProvider[split.reader.getSchema().getMaximumId() + 1];
    for (int id : ids) {
      positions[id] = new PositionProviderImpl(of(id).getEntry(stride));
    }
    return positions;
  }

  /** Fetches the row indexes of some columns, and their Bloom filters. */
  void fetch(int[] ids, int[] blooms) throws IOException {
    List<Wanted> ranges = new ArrayList<>();
    for (int id : ids) {
      want(id, ranges);
    }
    for (int id : blooms) {
      StripeStream s = stripe.stream(id, Kind.BLOOM_FILTER_UTF8);
      if (s != null) {
        s.want(0, s.length, ranges);
      }
    }
    split.fetcher.fetch(ranges);
  }

  /** The Bloom filters of a column's strides; null if there are none that fit the stripe. */
  OrcProto.BloomFilterIndex blooms(int column) throws IOException {
    InStream in = stripe.open(column, Kind.BLOOM_FILTER_UTF8);
    if (in == null) {
      return null;
    }
    try {
      OrcProto.BloomFilterIndex read =
          OrcProto.BloomFilterIndex.parseFrom(InStream.createCodedInputStream(in));
      return read.getBloomFilterCount() == stripe.strides() ? read : null;
    } catch (IOException | RuntimeException e) {
      throw stripe.place().corrupt("Bloom filters of column " + column, e);
    }
  }
}
