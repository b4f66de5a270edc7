// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.task.RunningTask;
import org.apache.orc.OrcProto;
import org.apache.orc.OrcProto.Stream.Kind;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.OutStream;
import org.apache.orc.impl.PositionProvider;
import org.apache.orc.impl.RecordReaderImpl.PositionProviderImpl;
import org.apache.orc.impl.RecordReaderUtils;
import org.apache.orc.protobuf.CodedInputStream;
import org.apache.orc.protobuf.ExtensionRegistryLite;
import org.apache.orc.protobuf.Parser;
import org.apache.orc.protobuf.WireFormat;
import org.apache.spark.TaskKilledException;

/**
 * The row indexes of a stripe's columns, and their Bloom filters, fetched on demand. Answers do not
 * depend on them, so an index that is damaged, does not fit the stripe or is too large to be useful
 * counts as absent.
 */
public final class RowIndexes {
  /** Most bytes of a run of numbers: header and base, 512 of 8 bytes, 31 patches. */
  private static final int LONGEST_RUN = 12 + 512 * 8 + 31 * 8;

  /** How many strides ahead to look for the end of a chunk. */
  private static final int LOOK_AHEAD = 64;

  /** Most bytes of a column's index, or of its Bloom filters, to parse. */
  private static final int MOST_BYTES = 16 << 20;

  private static final int MOST_BLOOM_BYTES = 128 << 20;

  /**
   * The tag of field 1, which holds the entries of a row index and the filters of a Bloom filter
   * index.
   */
  private static final int ENTRY = 1 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

  private final StripeStreams stripe;
  private final SplitContext split;
  private final Map<Integer, Optional<Index>> known = new HashMap<>();

  /**
   * The index of a column.
   *
   * @param starts for each stream of the column, the offsets at which strides begin
   */
  private record Index(List<OrcProto.RowIndexEntry> entries, Map<Kind, int[]> starts) {}

  public RowIndexes(StripeStreams stripe) {
    this.stripe = stripe;
    this.split = stripe.split;
  }

  void want(int column, Kind kind, List<WantedRange> ranges) {
    StripeStream s = stripe.stream(column, kind);
    if (s != null) {
      s.want(0, s.length, ranges);
    }
  }

  /** Whether all of the columns have an index that was fetched. */
  boolean hasAll(int[] ids) {
    return ids.length > 0 && Arrays.stream(ids).allMatch(id -> of(id).isPresent());
  }

  /** The entries of a column's index, one per stride; null without one. */
  public List<OrcProto.RowIndexEntry> entries(int column) {
    return of(column).map(Index::entries).orElse(null);
  }

  private Optional<Index> of(int column) {
    StripeStream s = stripe.stream(column, Kind.ROW_INDEX);
    if (!stripe.strides().isIndexed() || s == null || s.fetched() == 0) {
      return Optional.empty();
    }
    Optional<Index> index = known.get(column);
    if (index == null) {
      index = Optional.ofNullable(read(s));
      known.put(column, index);
    }
    return index;
  }

  private Index read(StripeStream s) {
    List<OrcProto.RowIndexEntry> entries =
        messages(s.open(split.compression()), OrcProto.RowIndexEntry.parser(), MOST_BYTES);
    if (entries == null) {
      return null;
    }
    Map<Kind, int[]> starts = new EnumMap<>(Kind.class);
    for (StripeStream data : stripe.data(IntStream.of(s.column))) {
      if (!stripe.isDictionary(data.column, data.kind)) {
        int[] of = starts(data, entries);
        if (of == null) {
          return null;
        }
        starts.put(data.kind, of);
      }
    }
    return new Index(entries, starts);
  }

  /** One message per stride; null if the bytes hold anything else. */
  private <T> List<T> messages(InStream from, Parser<T> parser, int mostBytes) {
    List<T> messages = new ArrayList<>();
    try {
      CodedInputStream in = InStream.createCodedInputStream(from);
      int tag;
      while ((tag = in.readTag()) != 0) {
        RunningTask.checkNotKilled();
        if (tag != ENTRY) {
          in.skipField(tag);
          continue;
        }
        int length = in.readRawVarint32();
        boolean fits = length >= 0 && length <= mostBytes - in.getTotalBytesRead();
        if (!fits || messages.size() == stripe.strides().count()) {
          return null;
        }
        int limit = in.pushLimit(length);
        messages.add(parser.parseFrom(in, ExtensionRegistryLite.getEmptyRegistry()));
        in.checkLastTagWas(0);
        in.popLimit(limit);
      }
    } catch (TaskKilledException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      return null;
    }
    return messages.size() == stripe.strides().count() ? messages : null;
  }

  /** The offsets at which strides begin in a stream; null if the entries are impossible. */
  private int[] starts(StripeStream s, List<OrcProto.RowIndexEntry> entries) {
    TypeDescription type = split.reader().getSchema().findSubtype(s.column);
    int at;
    try {
      at =
          RecordReaderUtils.getIndexPosition(
              stripe.encoding(s.column).getKind(),
              type.getCategory(),
              s.kind,
              split.compression().isCompressed(),
              stripe.has(s.column, Kind.PRESENT));
    } catch (IllegalArgumentException e) {
      return null;
    }
    int[] starts = new int[entries.size()];
    for (int i = 1; i < starts.length; i++) {
      OrcProto.RowIndexEntry entry = entries.get(i);
      long start = at < entry.getPositionsCount() ? entry.getPositions(at) : -1;
      if (start < starts[i - 1] || start > s.length) {
        return null;
      }
      starts[i] = (int) start;
    }
    return starts;
  }

  /** The offset of a stride in a stream of a column that has an index. */
  int start(StripeStream s, int stride) {
    return starts(s)[stride];
  }

  private int[] starts(StripeStream s) {
    return of(s.column).orElseThrow().starts.get(s.kind);
  }

  /**
   * The end of the bytes that the strides before {@code stride} need of a stream. A run of values
   * may reach into the stride, and so into the compressed chunk after the one in which the stride
   * begins. The length of chunks is unknown, but each later stride that begins in a further chunk
   * accounts for at least one.
   */
  int end(StripeStream s, int stride) {
    if (stride >= stripe.strides().count()) {
      return s.length;
    }
    int[] starts = starts(s);
    int chunk = starts[stride];
    if (!split.compression().isCompressed()) {
      return (int) Math.min(s.length, chunk + (long) LONGEST_RUN);
    }
    int bufferSize = Math.max(1, split.compression().getBufferSize());
    int chunks = 2 + (LONGEST_RUN - 1) / bufferSize;
    long most = Math.min(s.length, chunk + chunks * ((long) OutStream.HEADER_SIZE + bufferSize));
    int last = Math.min(starts.length, stride + LOOK_AHEAD);
    for (int later = stride + 1; later < last && chunk < most; later++) {
      int next = starts[later];
      if (next > chunk && --chunks == 0) {
        return (int) Math.min(next, most);
      }
      chunk = next;
    }
    return (int) most;
  }

  /** The columns' positions of the first row of a stride other than the first. */
  PositionProvider[] positions(int[] ids, int stride) {
    PositionProvider[] positions =
        new PositionProvider[split.reader().getSchema().getMaximumId() + 1];
    for (int id : ids) {
      positions[id] = position(id, stride);
    }
    return positions;
  }

  /** As {@link #positions}, for one column. */
  PositionProvider position(int id, int stride) {
    return new PositionProviderImpl(of(id).orElseThrow().entries.get(stride));
  }

  /** Fetches the row indexes of some columns, and their Bloom filters. */
  public void fetch(int[] ids, int[] blooms) throws IOException {
    List<WantedRange> ranges = new ArrayList<>();
    for (int id : ids) {
      want(id, Kind.ROW_INDEX, ranges);
    }
    for (int id : blooms) {
      want(id, Kind.BLOOM_FILTER_UTF8, ranges);
    }
    split.fetcher().fetchMetadata(ranges);
  }

  /** The Bloom filters of a column's strides; null if it has none. */
  public List<OrcProto.BloomFilter> blooms(int column) {
    InStream in = stripe.open(column, Kind.BLOOM_FILTER_UTF8);
    return in == null ? null : messages(in, OrcProto.BloomFilter.parser(), MOST_BLOOM_BYTES);
  }
}
