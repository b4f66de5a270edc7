// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.flat;

import java.io.IOException;
import latebloom.parquet.encoding.Bytes;
import latebloom.parquet.encoding.CorruptPageException;
import latebloom.parquet.page.ColumnChunk;
import latebloom.parquet.page.PageReader;
import latebloom.parquet.types.FlatType;
import latebloom.read.task.ScanMemory;
import org.apache.parquet.format.DictionaryPageHeader;

/**
 * Holds a column chunk's dictionary for its cursors and, if the column is used more than once, its
 * decompressed pages with survivors, within the file's budget. A page that was not kept is
 * decompressed again.
 */
public final class PageCache {
  /** Limits the bytes of the kept pages of one row group. */
  public static final class Budget {
    /** Memory is reserved in steps of so many bytes. */
    private static final long STEP = 1 << 20;

    private final long limit;
    private final ScanMemory memory;
    private long used;
    private long held;

    /**
     * @param memory from which the budget reserves what it keeps
     */
    public Budget(long limit, ScanMemory memory) {
      this.limit = limit;
      this.memory = memory;
    }

    private boolean hasRoom() {
      if (used >= held && used < limit) {
        long step = used - held + Math.min(STEP, limit);
        held += memory.tryHold(step) ? step : 0;
      }
      return used < Math.min(held, limit);
    }
  }

  private final Budget budget;
  private final FlatPage[] kept;
  private ChunkDictionary dictionary;

  /**
   * @param pages of the chunk; 0 if keeping them does not pay
   */
  public PageCache(Budget budget, int pages) {
    this.budget = budget;
    this.kept = new FlatPage[pages];
  }

  boolean keepsPages() {
    return kept.length > 0 && budget.hasRoom();
  }

  /** Keeps a page that stays valid, if there is room. */
  void keep(int p, FlatPage page) {
    if (page.lasts() && keepsPages() && kept[p] == null) {
      kept[p] = page;
      budget.used += page.bytes();
    }
  }

  /** The kept page, or null. */
  FlatPage get(int p) {
    return kept.length == 0 ? null : kept[p];
  }

  /** Removes and returns the kept page, or null. */
  FlatPage take(int p) {
    if (kept.length == 0 || kept[p] == null) {
      return null;
    }
    FlatPage page = kept[p];
    kept[p] = null;
    budget.used -= page.bytes();
    return page;
  }

  public void release() {
    for (int p = 0; p < kept.length; p++) {
      take(p);
    }
    dictionary = null;
  }

  public ChunkDictionary dictionary(ColumnChunk chunk, FlatType type, PageReader reader)
      throws IOException {
    if (dictionary == null) {
      DictionaryPageHeader header = chunk.header(-1).getDictionary_page_header();
      Bytes page = reader.read(chunk, -1, null).values();
      budget.memory.hold(page.length());
      if (page.array() == chunk.body(-1).array()) {
        // A batch that refers to it may outlive the row group.
        page = page.copy();
      }
      try {
        dictionary = new ChunkDictionary(chunk.place, type, page, header.getNum_values());
      } catch (CorruptPageException | IndexOutOfBoundsException e) {
        throw chunk.place.corrupt(-1, e);
      }
    }
    return dictionary;
  }
}
