// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.flat;

import java.io.IOException;
import latebloom.parquet.encoding.ConvertedValues;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.encoding.PlainDecoder;
import latebloom.parquet.encoding.RleBitPackingHybridDecoder;
import latebloom.parquet.encoding.RleBooleanDecoder;
import latebloom.parquet.page.ColumnChunk;
import latebloom.parquet.page.PageReader;
import latebloom.parquet.page.SplitContext;
import latebloom.parquet.types.FlatType;
import latebloom.read.ColumnCursor;
import latebloom.read.predicate.CodeMask;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.selection.Selection;
import latebloom.read.task.Counter;
import latebloom.read.task.Counters;
import latebloom.read.task.RunningTask;
import latebloom.read.vector.BlockArrays;
import latebloom.read.vector.BlockCursor;
import latebloom.read.vector.FixedValues;
import latebloom.read.vector.OutputColumn;
import latebloom.read.vector.StringValues;
import latebloom.read.vector.ValidRows;

/**
 * Reads a flat column with our own decoders. Does not decompress pages without wanted rows, does
 * not decode values of other rows where the encoding allows, and evaluates a predicate once per
 * entry where there is a dictionary.
 */
public final class FlatColumnCursor extends BlockCursor implements ColumnCursor {
  /**
   * Fewest neighbouring rows of a dictionary-coded page for which the loop without positions pays.
   */
  private static final int CODED_RUN = 64;

  /** The least share of a page's rows that is nearly all of them. */
  private static final double NEARLY_ALL = 0.75;

  /** Fewest neighbouring nulls that are passed or dropped together. */
  private static final int NULL_RUN = 64;

  private final ColumnChunk chunk;
  private final FlatType type;
  private final PageReader reader;
  private final PageCache cache;
  private final boolean lastUse;
  private final Counters counters;
  private final BlockArrays blocks;

  private FlatSink sink;
  private PageReader.Buffer buffer;
  private FlatPage page;
  private PageCursor cursor;
  private int pageIndex;

  /**
   * @param cache of the chunk's dictionary and kept pages; shared by the chunk's cursors
   * @param lastUse whether no cursor reads a page after this one
   */
  public FlatColumnCursor(
      SplitContext context, ColumnChunk chunk, FlatType type, PageCache cache, boolean lastUse) {
    super(context.blocks());
    this.lastUse = lastUse;
    this.chunk = chunk;
    this.type = type;
    this.reader = context.pages();
    this.cache = cache;
    this.counters = context.counters();
    this.blocks = context.blocks();
  }

  // ---- filter

  @Override
  public Selection filter(Selection wanted, PredicateCursor predicate) throws IOException {
    CodeMask mask = chunk.hasDictionary() ? mask(wanted, predicate) : null;
    Selection.Builder passed = new Selection.Builder(chunk.rows);
    boolean more = false;
    for (int p = 0; p < chunk.pageCount(); p++) {
      int from = chunk.firstRow(p);
      int to = chunk.endRow(p);
      if (!wanted.anyIn(from, to)) {
        continue;
      }
      boolean coded = mask != null && FlatPage.isDictionary(PageReader.encoding(chunk.header(p)));
      if (coded && mask.nonePasses() && !predicate.nullPasses()) {
        continue;
      }
      if (coded && mask.allPass() && nullsCannotFail(predicate)) {
        addAll(wanted, from, to, passed);
      } else {
        boolean whole = testsAll(predicate) && isNearlyAll(wanted, from, to);
        more |= whole;
        filterPage(
            p, whole ? Selection.all(chunk.rows) : wanted, predicate, coded ? mask : null, passed);
      }
    }
    release();
    Selection found = passed.build();
    return more ? found.intersect(wanted) : found;
  }

  /** Whether testing a row that is not wanted can't fail. */
  private boolean testsAll(PredicateCursor predicate) {
    return !(predicate instanceof PredicateCursor.Compiled) && type.conversion() == null;
  }

  /**
   * Whether only few rows are missing, such as deleted ones: testing them as well is faster then
   * than stopping at each.
   */
  private static boolean isNearlyAll(Selection wanted, int from, int to) {
    return !wanted.allIn(from, to) && wanted.countIn(from, to) >= NEARLY_ALL * (to - from);
  }

  private CodeMask mask(Selection wanted, PredicateCursor predicate) throws IOException {
    ChunkDictionary dictionary = dictionary();
    if (dictionary.refusesSome()) {
      return null;
    }
    return CodeMask.of(dictionary, predicate, wanted.count());
  }

  private boolean nullsCannotFail(PredicateCursor predicate) {
    return chunk.descriptor.getMaxDefinitionLevel() == 0 || predicate.nullPasses();
  }

  private void addAll(Selection wanted, int from, int to, Selection.Builder passed) {
    if (wanted.allIn(from, to)) {
      passed.addRange(from, to);
      return;
    }
    int next = from;
    int n;
    while ((n = wanted.positions(next, to, BLOCK, rows)) > 0) {
      passed.add(rows, n);
      next = rows[n - 1] + 1;
    }
  }

  private void filterPage(
      int p, Selection wanted, PredicateCursor predicate, CodeMask mask, Selection.Builder passed)
      throws IOException {
    int from = chunk.firstRow(p);
    int to = chunk.endRow(p);
    FlatPage read = page(p);
    try {
      PageCursor values = new PageCursor(read);
      ValidRows nulls = read.valid();
      boolean any = false;
      int next = wanted.nextSelected(from);
      while (next >= 0 && next < to) {
        int runEnd = Math.min(to, wanted.nextUnselected(next));
        int nullsEnd = nulls == null ? next : from + nulls.endOfNulls(next - from, runEnd - from);
        if (nullsEnd - next >= NULL_RUN) {
          if (predicate.nullPasses()) {
            passed.addRange(next, nullsEnd);
            any = true;
          }
          next = wanted.nextSelected(nullsEnd);
        } else if (mask != null && !read.hasNulls() && runEnd - next >= CODED_RUN) {
          any |= values.filterCodedRun(from, next, runEnd, mask, passed);
          next = wanted.nextSelected(runEnd);
        } else {
          RunningTask.checkNotKilled();
          int n = wanted.positions(next, to, BLOCK, rows);
          any |= filterBlock(read, values, from, n, predicate, mask, passed);
          next = wanted.nextSelected(rows[n - 1] + 1);
        }
      }
      if (any) {
        cache.keep(p, read);
      }
    } catch (CorruptPageException | IndexOutOfBoundsException e) {
      throw chunk.place.corrupt(p, e);
    }
  }

  /** Filters {@code rows[0, n)}; whether any passes. */
  private boolean filterBlock(
      FlatPage read,
      PageCursor values,
      int firstRow,
      int n,
      PredicateCursor predicate,
      CodeMask mask,
      Selection.Builder passed) {
    int valid = n;
    int[] candidates = rows;
    boolean any = false;
    ValidRows valids = read.valid();
    if (valids != null) {
      candidates = validRows;
      Selection.Builder nulls = predicate.nullPasses() ? passed : null;
      valid = valids.part(rows, n, firstRow, 0, candidates, indexes, nulls);
      any = nulls != null && valid < n;
    } else {
      for (int i = 0; i < n; i++) {
        indexes[i] = rows[i] - firstRow;
      }
    }
    if (valid == 0) {
      return any;
    }
    int m = mask == null ? values.filter(valid, predicate) : values.filterCodes(valid, mask);
    counters.add(Counter.VALUES_DECODED, valid);
    addPassing(candidates, valid, m, passed);
    return any || m > 0;
  }

  // ---- select

  @Override
  public void select(int[] wanted, int n, OutputColumn out) throws IOException {
    if (sink == null) {
      sink = new FlatSink(type, blocks);
    }
    sink.begin(out, n);
    int i = 0;
    while (i < n) {
      int p = chunk.pageOf(wanted[i], pageIndex);
      open(p);
      int end = chunk.endRow(p);
      int from = chunk.firstRow(p);
      try {
        while (i < n && wanted[i] < end) {
          // Rows ascend, so the last of a range shows whether all between are wanted.
          int most = Math.min(n - i, end - wanted[i]);
          if (wanted[i + most - 1] - wanted[i] == most - 1) {
            selectRun(wanted[i] - from, most);
            i += most;
          } else {
            int k = 0;
            while (k < BLOCK && i + k < n && wanted[i + k] < end) {
              rows[k] = wanted[i + k] - from;
              k++;
            }
            selectBlock(k);
            i += k;
          }
        }
      } catch (CorruptPageException | IndexOutOfBoundsException e) {
        throw chunk.place.corrupt(p, e);
      }
    }
    counters.add(Counter.VALUES_DECODED, n);
  }

  /** Reads a page, into bytes of its own if it may be kept. */
  private FlatPage page(int p) throws IOException {
    RunningTask.checkNotKilled();
    FlatPage kept = cache.get(p);
    boolean own = !lastUse && cache.keepsPages();
    if (kept != null) {
      return kept;
    }
    if (!own && buffer == null) {
      buffer = reader.takeBuffer();
    }
    return FlatPage.read(chunk, p, reader, own ? null : buffer);
  }

  @Override
  public void release() {
    page = null;
    cursor = null;
    if (buffer != null) {
      reader.giveBack(buffer);
      buffer = null;
    }
  }

  private void open(int p) throws IOException {
    if (page == null || p != pageIndex) {
      pageIndex = p;
      page = page(p);
      if (lastUse) {
        cache.take(p);
      } else {
        cache.keep(p, page);
      }
      try {
        cursor = new PageCursor(page);
      } catch (CorruptPageException | IndexOutOfBoundsException e) {
        throw chunk.place.corrupt(p, e);
      }
    }
  }

  /**
   * Passes the values of the {@code n} rows from {@code first} on, of the open page, to the sink.
   */
  private void selectRun(int first, int n) {
    if (!page.hasNulls()) {
      PlainDecoder plain = sink.copiesPlain() ? cursor.plain(first, n) : null;
      if (plain != null) {
        sink.plainRun(plain, first, n);
        return;
      }
      if (cursor.fixed instanceof RleBooleanDecoder booleans) {
        sink.booleanRun(booleans.bits(), first, n);
        return;
      }
    }
    for (int done = 0; done < n; done += BLOCK) {
      int k = Math.min(BLOCK, n - done);
      if (cursor.codes != null && !page.hasNulls()) {
        cursor.codes.readRange(first + done, k, codes);
        sink.codes(cursor.dictionary, codes, k, rows, k, null);
      } else {
        ascend(rows, first + done, k);
        selectBlock(k);
      }
    }
  }

  /** Passes the values of {@code rows[0, n)}, rows of the open page, to the sink. */
  private void selectBlock(int n) {
    ValidRows nulls = page.valid();
    int[] at = nulls == null ? rows : indexes;
    int valid = nulls == null ? n : nulls.valueIndexes(rows, n, indexes);
    if (cursor.codes != null) {
      cursor.codes.read(at, valid, codes);
      sink.codes(cursor.dictionary, codes, valid, rows, n, nulls);
    } else if (type.isBytes()) {
      cursor.strings.locate(at, valid, offsets, lengths);
      sink.strings(cursor.strings.data(), offsets, lengths, valid, rows, n, nulls);
    } else {
      cursor.fixed.read(at, valid, values);
      sink.values(values, valid, rows, n, nulls);
    }
  }

  private ChunkDictionary dictionary() throws IOException {
    return cache.dictionary(chunk, type, reader);
  }

  /** Walks the values of one page, front to back. */
  private final class PageCursor {
    final RleBitPackingHybridDecoder codes;
    final FixedValues fixed;
    final StringValues strings;
    private final ChunkDictionary dictionary;

    PageCursor(FlatPage page) throws IOException {
      boolean coded = page.isDictionaryCoded();
      if (coded && !chunk.hasDictionary()) {
        throw new CorruptPageException("codes without a dictionary page");
      }
      codes = coded ? page.codes() : null;
      dictionary = coded ? dictionary() : null;
      fixed = coded || type.isBytes() ? null : page.fixedValues(type);
      strings = coded || !type.isBytes() ? null : page.stringValues(type);
    }

    /** The page's values if these {@code n} are PLAIN and in Spark's representation, else null. */
    PlainDecoder plain(int first, int n) {
      if (fixed instanceof ConvertedValues converted) {
        return converted.plain(first, n);
      }
      return fixed instanceof PlainDecoder plain ? plain : null;
    }

    /** Writes to {@code passing} which of the values at {@code indexes[0, n)} pass. */
    int filter(int n, PredicateCursor predicate) {
      if (type.isBytes()) {
        byte[] data = locate(n);
        return predicate.filterBytes(type.decimalBytes(), data, offsets, lengths, n, passing);
      }
      read(n);
      return predicate.filter(type.vectorType(), values, n, passing);
    }

    /** Reads the numbers at {@code indexes[0, n)} into {@code values}, in any encoding. */
    private void read(int n) {
      if (codes == null) {
        fixed.read(indexes, n, values);
      } else {
        codes.read(indexes, n, FlatColumnCursor.this.codes);
        dictionary.look(FlatColumnCursor.this.codes, n, values);
      }
    }

    /**
     * As {@link #read}, for byte strings: into {@code offsets} and {@code lengths} of the result.
     */
    private byte[] locate(int n) {
      if (codes == null) {
        strings.locate(indexes, n, offsets, lengths);
        return strings.data();
      }
      codes.read(indexes, n, FlatColumnCursor.this.codes);
      dictionary.locate(FlatColumnCursor.this.codes, n, offsets, lengths);
      return dictionary.data();
    }

    /**
     * Filters rows {@code [from, to)} of a page without nulls that begins at {@code firstRow}, by
     * the mask over codes. Tests a run of one code once.
     */
    boolean filterCodedRun(
        int firstRow, int from, int to, CodeMask mask, Selection.Builder passed) {
      int[] block = FlatColumnCursor.this.codes;
      boolean any = false;
      int row = from;
      while (row < to) {
        int runEnd = firstRow + Math.min(codes.runEnd(row - firstRow), to - firstRow);
        long shared = codes.shared(row - firstRow, runEnd - 1 - firstRow);
        if (shared >= 0) {
          if (mask.passes((int) shared)) {
            passed.addRange(row, runEnd);
            any = true;
          }
          row = runEnd;
        } else {
          RunningTask.checkNotKilled();
          int n = Math.min(BLOCK, to - row);
          codes.readRange(row - firstRow, n, block);
          any |= mask.filterRun(block, n, row, passed);
          row += n;
        }
      }
      counters.add(Counter.VALUES_DECODED, to - from);
      return any;
    }

    /** As {@link #filter}, by the mask over codes. Tests a run of one code once. */
    int filterCodes(int n, CodeMask mask) {
      long shared = codes.shared(indexes[0], indexes[n - 1]);
      if (shared >= 0) {
        if (!mask.passes((int) shared)) {
          return 0;
        }
        ascend(passing, 0, n);
        return n;
      }
      int[] block = FlatColumnCursor.this.codes;
      codes.read(indexes, n, block);
      return mask.filter(block, n, passing);
    }
  }
}
