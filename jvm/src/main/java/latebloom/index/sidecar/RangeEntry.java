// SPDX-License-Identifier: Apache-2.0
package latebloom.index.sidecar;

import java.util.List;

/**
 * What is known of a range of a file, in bytes. Of a row group or a stripe that a reader of exactly
 * this range would read, all rows are in the entry.
 *
 * @param columns one for each column of the index, in its order
 */
public record RangeEntry(FileState file, long start, long end, List<ColumnKeys> columns) {

  /** A file in one state. */
  public record FileState(String path, long length, long modified) {}

  /**
   * The values of a column.
   *
   * @param hasNull whether a row has a null
   * @param keys a serialised {@link latebloom.bloom.KeyFilter} of the values that are not null;
   *     null if any may occur
   */
  public record ColumnKeys(boolean hasNull, byte[] keys) {
    /** Of a range without rows: it has the keys of no row, in any domain. */
    public static final ColumnKeys NO_ROWS = new ColumnKeys(false, new byte[0]);

    /** Whether no row has a value. */
    boolean isEmpty() {
      return keys != null && keys.length == 0;
    }
  }
}
