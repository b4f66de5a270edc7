// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import latebloom.read.task.ScanMemory;

/** The row groups of one file split that statistics cannot rule out, in file order. */
public interface RowGroups extends Closeable {

  /** The next row group, or null at the end. The one before it has been released. */
  RowGroup next() throws IOException;

  /** Says what of a row group will be fetched first, and together. */
  @FunctionalInterface
  interface FirstFetch {
    List<Integer> columns(RowGroup group) throws IOException;
  }

  /**
   * Begins to fetch in the background what the next row group will need first, where the store is
   * slow and there is memory. What is fetched is what a fetch will ask for in any case.
   *
   * @param prunes whether the row group will be asked for what its indexes rule out
   */
  void prefetch(boolean prunes, FirstFetch first) throws IOException;

  /** What the scan holds; closed with this. */
  ScanMemory memory();
}
