// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.Closeable;
import java.io.IOException;

/** The row groups of one file split that statistics cannot rule out, in file order. */
public interface RowGroups extends Closeable {

  /** The next row group, or null at the end. The one before it has been released. */
  RowGroup next() throws IOException;

  /** What the scan holds; closed with this. */
  ScanMemory memory();
}
