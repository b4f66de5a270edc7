// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.nested;

import java.io.IOException;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.flat.PageCache;
import latebloom.parquet.page.ColumnChunk;
import latebloom.parquet.page.PageReader;
import latebloom.parquet.page.SplitContext;
import latebloom.parquet.types.FlatType;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.task.Counter;
import latebloom.read.task.Counters;
import latebloom.read.task.RunningTask;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;

/**
 * A cursor over one leaf of a list or map: appends the entries of wanted rows to a vector, and
 * returns how many each row has. Rows ascend from call to call.
 *
 * <p>With an offset index a page begins with a row, and only pages that hold wanted rows are read.
 * Without one the rows of a page are unknown, and a row may span several pages: the cursor then
 * reads pages in turn and counts their rows, and does no more with pages without wanted rows.
 */
public final class RepeatedLeafCursor {
  private final ColumnChunk chunk;
  private final int level;
  private final PageReader reader;
  private final Counters counters;
  private final EntryWriter writer;
  private final int most;
  private PageReader.Buffer buffer;

  private int page = -1;
  private RepeatedPage open;
  private RepeatedLevels levels;

  /** The first row that begins on the open page. */
  private int firstRow;

  /** Rows of the current word that are still ahead, and the first of them. */
  private long left;

  private int nextRow;

  /**
   * @param level definition level of a list or map that is not null
   * @param cache of the chunk's dictionary
   * @param most most entries that are read of a row
   */
  public RepeatedLeafCursor(
      SplitContext context,
      ColumnChunk chunk,
      FlatType type,
      int level,
      PageCache cache,
      int most) {
    this.chunk = chunk;
    this.level = level;
    this.reader = context.pages();
    this.most = most;
    this.counters = context.counters();
    this.writer = new EntryWriter(context, chunk, type, cache);
  }

  /** Restricts writing to entries whose value passes, of a leaf without nulls. */
  void keep(PredicateCursor passing, EntryBits kept) {
    writer.keep(passing, kept);
  }

  /**
   * Appends the entries of {@code rows[0, n)} to {@code to}.
   *
   * @param sizes receives the number of entries of each row, -1 for null
   * @param whole whether the vector will hold nothing else
   * @return how many were appended
   */
  int read(int[] rows, int n, int[] sizes, WritableColumnVector to, boolean whole)
      throws IOException {
    writer.begin(to, whole);
    try {
      for (int i = 0; i < n; i++) {
        seek(rows[i]);
        sizes[i] = row();
      }
      return written();
    } catch (CorruptPageException | IndexOutOfBoundsException e) {
      throw chunk.place.corrupt(page, e);
    }
  }

  /**
   * As {@link #read}, for the entries of these rows that are in {@code kept}; skips rows without
   * kept entries.
   *
   * @param sizes the number of entries that each row must have, -1 for null
   */
  int readKept(
      int[] rows, int n, int[] sizes, EntryBits kept, WritableColumnVector to, boolean whole)
      throws IOException {
    writer.begin(to, whole);
    writer.only(kept);
    try {
      int before = 0;
      for (int i = 0; i < n; i++) {
        int size = Math.max(sizes[i], 0);
        if (kept.count(before, size) > 0) {
          seek(rows[i]);
          writer.skipTo(before);
          int found = row();
          if (found != size) {
            throw new CorruptPageException(
                "row " + rows[i] + " has " + size + " keys and " + found + " values");
          }
        }
        before += size;
      }
      return written();
    } catch (CorruptPageException | IndexOutOfBoundsException e) {
      throw chunk.place.corrupt(page, e);
    }
  }

  /** Releases the page; no further rows will be requested. */
  void release() {
    open = null;
    levels = null;
    writer.release();
    if (buffer != null) {
      reader.giveBack(buffer);
      buffer = null;
    }
  }

  private int written() throws IOException {
    writer.flush();
    counters.add(Counter.VALUES_DECODED, writer.written());
    return writer.written();
  }

  /** Moves to the first level of {@code row}, which becomes the lowest bit of {@code left}. */
  private void seek(int row) throws IOException {
    if (chunk.index() != null) {
      int p = chunk.pageOf(row, Math.max(page, 0));
      if (p != page) {
        open(p, chunk.firstRow(p));
      }
    } else {
      while (open == null || row - firstRow >= open.rows()) {
        if (page + 1 == chunk.pageCount()) {
          throw new CorruptPageException("the column ends before row " + row);
        }
        open(page + 1, open == null ? 0 : firstRow + open.rows());
      }
    }
    while (row - nextRow >= Long.bitCount(left)) {
      if (!nextWord()) {
        throw new CorruptPageException("the page ends before row " + row);
      }
    }
    for (; nextRow < row; nextRow++) {
      left &= left - 1;
    }
    if (nextRow != row) {
      throw new IllegalArgumentException("row " + row + " after row " + (nextRow - 1));
    }
  }

  private void open(int p, int rowsBefore) throws IOException {
    RunningTask.checkNotKilled();
    // The next page reuses the buffer.
    writer.flush();
    page = p;
    if (buffer == null) {
      buffer = reader.takeBuffer();
    }
    boolean inEntry = open != null && open.endsInEntry();
    open = RepeatedPage.read(chunk, p, level, reader, buffer);
    levels = open.levels();
    firstRow = rowsBefore;
    boolean indexed = chunk.index() != null;
    if (open.continues() && (indexed || p == 0)) {
      throw new CorruptPageException("it begins within a row");
    }
    if (open.continues() && !inEntry) {
      throw new CorruptPageException("an entry behind a list or map that has none");
    }
    if (indexed && open.rows() != chunk.endRow(p) - rowsBefore) {
      throw new CorruptPageException(
          open.rows() + " rows, where the offset index has " + (chunk.endRow(p) - rowsBefore));
    }
    writer.open(open.values());
    nextWord();
  }

  private boolean nextWord() {
    boolean more = levels.next();
    left = levels.starts;
    nextRow = firstRow + levels.rowsBefore;
    return more;
  }

  /** Reads the row at the cursor; returns how many of its entries are wanted, -1 if it is null. */
  private int row() throws IOException {
    int bit = Long.numberOfTrailingZeros(left);
    left &= left - 1;
    nextRow++;
    if ((levels.entries >>> bit & 1) == 0) {
      return (levels.there >>> bit & 1) == 0 ? -1 : 0;
    }
    int size = 0;
    while (true) {
      int end = left != 0 ? Long.numberOfTrailingZeros(left) : levels.n;
      int n = Math.min(end - bit, most - size);
      if (n > 0) {
        writer.add(levels, bit, n);
        size += n;
      }
      if (left != 0 || !nextWord() && !nextPageContinues()) {
        return size;
      }
      if ((left & 1) != 0) {
        return size;
      }
      bit = 0;
    }
  }

  /** Moves to the start of the next page if the last row of this one continues there. */
  private boolean nextPageContinues() throws IOException {
    if (chunk.index() != null) {
      return false;
    }
    while (page + 1 < chunk.pageCount()) {
      open(page + 1, firstRow + open.rows());
      if (levels.n > 0) {
        return open.continues();
      }
    }
    return false;
  }
}
