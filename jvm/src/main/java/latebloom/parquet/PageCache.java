// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.IOException;
import org.apache.parquet.format.DictionaryPageHeader;

/**
 * What the cursors of one column chunk share: its dictionary, and, of a column that is used more than
 * once, the decompressed pages that hold survivors, as long as the file's budget lasts. A page that
 * was not kept is decompressed again.
 */
final class PageCache {
  /** Bytes that the kept pages of one file may hold. */
  static final class Budget {
    private final long limit;
    private long used;

    Budget(long limit) {
      this.limit = limit;
    }
  }

  private final Budget budget;
  private final FlatPage[] kept;
  private ChunkDictionary dictionary;

  /**
   * @param pages the chunk's pages; 0 when none is worth keeping
   */
  PageCache(Budget budget, int pages) {
    this.budget = budget;
    this.kept = new FlatPage[pages];
  }

  boolean keepsPages() {
    return kept.length > 0 && budget.used < budget.limit;
  }

  void keep(int p, FlatPage page) {
    if (keepsPages() && kept[p] == null) {
      kept[p] = page;
      budget.used += page.bytes();
    }
  }

  /** The page if it was kept, else null. */
  FlatPage get(int p) {
    return kept.length == 0 ? null : kept[p];
  }

  /** The page if it was kept; it is not kept any longer. */
  FlatPage take(int p) {
    if (kept.length == 0 || kept[p] == null) {
      return null;
    }
    FlatPage page = kept[p];
    kept[p] = null;
    budget.used -= page.bytes();
    return page;
  }

  void release() {
    for (int p = 0; p < kept.length; p++) {
      take(p);
    }
    dictionary = null;
  }

  ChunkDictionary dictionary(ColumnChunk chunk, FlatType type, PageReader reader)
      throws IOException {
    if (dictionary == null) {
      DictionaryPageHeader header = chunk.header(-1).getDictionary_page_header();
      Bytes page = reader.read(chunk, -1, null).values();
      try {
        dictionary = new ChunkDictionary(type, page, header.getNum_values());
      } catch (CorruptPageException | IndexOutOfBoundsException e) {
        throw chunk.place.corrupt(-1, e);
      }
    }
    return dictionary;
  }
}
