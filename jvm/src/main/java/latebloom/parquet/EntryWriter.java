// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.IOException;
import java.util.Arrays;
import latebloom.read.FixedValues;
import latebloom.read.StringValues;
import latebloom.read.ValidRows;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;

/**
 * Gathers the entries of lists or maps that lie on one page after another, in blocks, and writes their
 * values behind each other into a vector.
 */
final class EntryWriter {
  private static final int BLOCK = FlatColumn.BLOCK;

  private final ColumnChunk chunk;
  private final FlatType type;
  private final PageReader reader;
  private final PageCache cache;
  private final FlatSink sink;

  /** The block: which of its entries have a value, and their indexes among those of the page. */
  private final long[] valid = new long[BLOCK / Long.SIZE];

  private final int[] indexes = new int[BLOCK];
  private int entries;
  private int values;

  private final int[] places = new int[BLOCK];
  private final int[] codes = new int[BLOCK];
  private final long[] numbers = new long[BLOCK];
  private final int[] offsets = new int[BLOCK];
  private final int[] lengths = new int[BLOCK];

  private WritableColumnVector to;
  private int at;
  private int written;

  /** The page's values, one of the three. */
  private RleBitPacked coded;

  private FixedValues fixed;
  private StringValues strings;

  EntryWriter(ColumnChunk chunk, FlatType type, PageReader reader, PageCache cache) {
    this.chunk = chunk;
    this.type = type;
    this.reader = reader;
    this.cache = cache;
    this.sink = new FlatSink(type);
    Arrays.setAll(places, i -> i);
  }

  /**
   * Begins to write to {@code to}, behind what it has.
   *
   * @param whole whether it will hold nothing else
   */
  void begin(WritableColumnVector to, boolean whole) {
    this.to = to;
    this.at = to.getElementsAppended();
    this.written = 0;
    sink.begin(to, at, whole);
  }

  /** How many entries were written since {@link #begin}. */
  int written() {
    return written;
  }

  /** Goes on with another page; the block must have been flushed. */
  void open(FlatPage page) throws IOException {
    boolean isCoded = page.isDictionaryCoded();
    if (isCoded && !chunk.hasDictionary()) {
      throw new CorruptPageException("codes without a dictionary page");
    }
    coded = isCoded ? page.codes() : null;
    fixed = isCoded || type.isBytes() ? null : page.fixedValues(type);
    strings = isCoded || !type.isBytes() ? null : page.stringValues(type);
  }

  /** Adds the entries that the levels from {@code from} to {@code to} of the current word stand for. */
  void add(RepeatedLevels levels, int from, int to) throws IOException {
    if (entries + Long.SIZE > BLOCK) {
      flush();
    }
    int bit = from;
    while (bit < to) {
      long rest = levels.values >>> bit;
      boolean present = (rest & 1) != 0;
      int n = Math.min(to - bit, Long.numberOfTrailingZeros(present ? ~rest : rest));
      if (present) {
        addValues(levels.valueIndex(bit), n);
      }
      entries += n;
      bit += n;
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
    to.reserve(Math.addExact(at, entries));
    if (values == entries) {
      write(null);
    } else {
      write(new ValidRows(Arrays.copyOf(valid, (entries + 63) >>> 6)));
    }
    at += entries;
    written += entries;
    Arrays.fill(valid, 0);
    entries = 0;
    values = 0;
  }

  private void write(ValidRows nulls) throws IOException {
    boolean run = nulls == null && indexes[values - 1] - indexes[0] == values - 1;
    if (coded != null) {
      coded.read(indexes, values, codes);
      sink.codes(cache.dictionary(chunk, type, reader), codes, values, places, entries, nulls);
    } else if (strings != null) {
      strings.locate(indexes, values, offsets, lengths);
      sink.strings(strings.data(), offsets, lengths, values, places, entries, nulls);
    } else if (run && sink.copiesPlain() && fixed instanceof PlainValues plain) {
      sink.plainRun(plain, indexes[0], values);
    } else {
      fixed.read(indexes, values, numbers);
      sink.values(numbers, values, places, entries, nulls);
    }
  }
}
