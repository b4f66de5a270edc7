// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import latebloom.read.task.ScanMemory;

/** The row groups of one file split that statistics cannot rule out, in file order. */
public interface RowGroups extends Closeable {

  /** The next row group, or null at the end. The former one has been released. */
  RowGroup next() throws IOException;

  /** Chooses the columns of a row group that are fetched first, and together. */
  @FunctionalInterface
  interface FirstFetch {
    List<Integer> columns(RowGroup group) throws IOException;
  }

  /**
   * Fetches in the background what the next row group will need first, if the store is slow and
   * there is memory. Fetches nothing that the row group would not request anyway.
   *
   * @param prunes whether the scan will prune the row group by its indexes
   */
  void prefetch(boolean prunes, FirstFetch first) throws IOException;

  /** The memory that the scan holds; closed with this. */
  ScanMemory memory();
}
