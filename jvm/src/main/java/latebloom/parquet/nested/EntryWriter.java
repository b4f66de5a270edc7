// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.nested;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.IntStream;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.encoding.PlainDecoder;
import latebloom.parquet.encoding.RleBitPackingHybridDecoder;
import latebloom.parquet.flat.FlatPage;
import latebloom.parquet.flat.FlatSink;
import latebloom.parquet.flat.PageCache;
import latebloom.parquet.page.ColumnChunk;
import latebloom.parquet.page.PageReader;
import latebloom.parquet.page.SplitContext;
import latebloom.parquet.types.FlatType;
import latebloom.read.predicate.CodeMask;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.vector.BlockArrays;
import latebloom.read.vector.FixedValues;
import latebloom.read.vector.StringValues;
import latebloom.read.vector.ValidRows;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;

/**
 * Gathers the entries of lists or maps from successive pages into blocks, and appends their values
 * to a vector.
 */
final class EntryWriter {
  private static final int BLOCK = BlockArrays.BLOCK;

  /** An entry's position in the block, passed to sinks as its row. */
  private static final int[] PLACES = IntStream.range(0, BLOCK).toArray();

  private final ColumnChunk chunk;
  private final FlatType type;
  private final PageReader reader;
  private final PageCache cache;
  private final FlatSink sink;

  /** Selects the entries to write: those whose value passes, those in the bits, or all. */
  private PredicateCursor passing;

  private EntryBits kept;
  private CodeMask mask;
  private int passed;

  /** The block: which entries have a value, and their indexes among the page's values. */
  private final long[] valid = new long[BLOCK / Long.SIZE];

  private final int[] indexes;
  private int entries;
  private int values;

  private final int[] codes;
  private final long[] numbers;
  private final int[] offsets;
  private final int[] lengths;
  private final int[] picked;

  private WritableColumnVector to;
  private int at;
  private int written;

  /** The page's values; one of the three is set. */
  private RleBitPackingHybridDecoder coded;

  private FixedValues fixed;
  private StringValues strings;

  EntryWriter(SplitContext context, ColumnChunk chunk, FlatType type, PageCache cache) {
    BlockArrays blocks = context.blocks();
    this.chunk = chunk;
    this.type = type;
    this.reader = context.pages();
    this.cache = cache;
    this.sink = new FlatSink(type, blocks);
    this.indexes = blocks.indexes;
    this.codes = blocks.codes;
    this.numbers = blocks.values;
    this.offsets = blocks.offsets;
    this.lengths = blocks.lengths;
    this.picked = blocks.passing;
  }

  /**
   * Begins to append to {@code to}.
   *
   * @param whole whether the vector will hold nothing else
   */
  void begin(WritableColumnVector to, boolean whole) {
    this.to = to;
    this.at = to.getElementsAppended();
    this.written = 0;
    this.passed = 0;
    sink.begin(to, at, whole);
  }

  /** Restricts writing to entries whose value passes, none of them null, and records them. */
  void keep(PredicateCursor passing, EntryBits kept) {
    this.passing = passing;
    this.kept = kept;
  }

  /** Restricts writing to the entries in {@code kept}, counted from {@link #begin} on. */
  void only(EntryBits kept) {
    this.kept = kept;
  }

  /** Skips all entries before {@code entry}. */
  void skipTo(int entry) {
    passed = entry;
  }

  /** How many entries were written since {@link #begin}. */
  int written() {
    return written;
  }

  /** Continues with another page; the block must have been flushed. */
  void open(FlatPage page) throws IOException {
    boolean isCoded = page.isDictionaryCoded();
    if (isCoded && !chunk.hasDictionary()) {
      throw new CorruptPageException("codes without a dictionary page");
    }
    coded = isCoded ? page.codes() : null;
    fixed = isCoded || type.isBytes() ? null : page.fixedValues(type);
    strings = isCoded || !type.isBytes() ? null : page.stringValues(type);
  }

  /** Releases the page. */
  void release() {
    coded = null;
    fixed = null;
    strings = null;
  }

  /** Adds the entries of the {@code n} levels from {@code from} on of the current word. */
  void add(RepeatedLevels levels, int from, int n) throws IOException {
    if (entries + Long.SIZE > BLOCK) {
      flush();
    }
    boolean some = kept != null && passing == null;
    long wanted = (some ? kept.bits(passed, n) : -1L >>> (Long.SIZE - n)) << from;
    passed += n;
    while (wanted != 0) {
      int bit = Long.numberOfTrailingZeros(wanted);
      long rest = levels.values >>> bit;
      boolean present = (rest & 1) != 0;
      int alike = Long.numberOfTrailingZeros(present ? ~rest : rest);
      int k = Math.min(Long.numberOfTrailingZeros(~(wanted >>> bit)), alike);
      if (present) {
        addValues(levels.valueIndex(bit), k);
      }
      entries += k;
      wanted &= ~(-1L >>> (Long.SIZE - k) << bit);
    }
  }

  private void addValues(int first, int n) {
    for (int i = 0; i < n; i++) {
      indexes[values + i] = first + i;
    }
    values += n;
    long bits = -1L >>> (Long.SIZE - n);
    int shift = entries & 63;
    valid[entries >>> 6] |= bits << shift;
    if (shift + n > Long.SIZE) {
      valid[(entries >>> 6) + 1] |= bits >>> (Long.SIZE - shift);
    }
  }

  /** Writes the block. */
  void flush() throws IOException {
    if (entries == 0) {
      return;
    }
    if (passing != null) {
      writePassing(passed - entries);
    } else {
      reserve(entries);
      write(values == entries ? null : new ValidRows(Arrays.copyOf(valid, (entries + 63) >>> 6)));
      wrote(entries);
    }
    Arrays.fill(valid, 0);
    entries = 0;
    values = 0;
  }

  // A size beyond a vector's limit wraps around, and Spark's vector refuses it with its own
  // message.
  private void reserve(int n) {
    to.reserve(at + n);
  }

  private void wrote(int n) {
    at += n;
    written += n;
  }

  private void write(ValidRows nulls) throws IOException {
    boolean run = nulls == null && indexes[values - 1] - indexes[0] == values - 1;
    if (coded != null) {
      coded.read(indexes, values, codes);
      sink.codes(cache.dictionary(chunk, type, reader), codes, values, PLACES, entries, nulls);
    } else if (strings != null) {
      strings.locate(indexes, values, offsets, lengths);
      sink.strings(strings.data(), offsets, lengths, values, PLACES, entries, nulls);
    } else if (run && sink.copiesPlain() && fixed instanceof PlainDecoder plain) {
      sink.plainRun(plain, indexes[0], values);
    } else {
      fixed.read(indexes, values, numbers);
      sink.values(numbers, values, PLACES, entries, nulls);
    }
  }

  /** Writes the passing values of a block without nulls, whose first entry is {@code first}. */
  private void writePassing(int first) throws IOException {
    int n = coded != null ? pickCodes() : pickValues();
    if (n == 0) {
      return;
    }
    for (int i = 0; i < n; i++) {
      kept.set(first + picked[i]);
    }
    reserve(n);
    if (coded != null) {
      sink.codes(cache.dictionary(chunk, type, reader), codes, n, PLACES, n, null);
    } else if (strings != null) {
      sink.strings(strings.data(), offsets, lengths, n, PLACES, n, null);
    } else {
      sink.values(numbers, n, PLACES, n, null);
    }
    wrote(n);
  }

  private int pickCodes() throws IOException {
    if (mask == null) {
      mask = CodeMask.of(cache.dictionary(chunk, type, reader), passing, chunk.rows);
    }
    if (mask.nonePasses()) {
      return 0;
    }
    coded.read(indexes, values, codes);
    int n = mask.filter(codes, values, picked);
    for (int i = 0; i < n; i++) {
      codes[i] = codes[picked[i]];
    }
    return n;
  }

  private int pickValues() {
    int n;
    if (strings != null) {
      strings.locate(indexes, values, offsets, lengths);
      n =
          passing.filterBytes(
              type.decimalBytes(), strings.data(), offsets, lengths, values, picked);
      for (int i = 0; i < n; i++) {
        offsets[i] = offsets[picked[i]];
        lengths[i] = lengths[picked[i]];
      }
    } else {
      fixed.read(indexes, values, numbers);
      n = passing.filter(type.vectorType(), numbers, values, picked);
      for (int i = 0; i < n; i++) {
        numbers[i] = numbers[picked[i]];
      }
    }
    return n;
  }
}
