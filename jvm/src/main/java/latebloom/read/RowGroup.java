// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import java.util.List;

/**
 * The unit that a scan works on: a row group of Parquet, a stripe of ORC. Columns are indexes into
 * {@link ScanSpec#columns()}.
 */
public interface RowGroup {

  /** Rows before pruning. */
  int rows();

  /** The rows that statistics and indexes cannot rule out; reads no data. */
  Selection prune() throws IOException;

  /** Whether statistics prove that every row passes, so that the filter need not be evaluated. */
  boolean allPass(ScanFilter filter);

  /** A column of which {@code rows} will be filtered or selected. */
  record Need(int column, Selection rows) {}

  /** Makes all that is needed ready in as few requests as the layout allows; once each. */
  void fetch(List<Need> needs) throws IOException;

  /** The column as filter: its own cursor, so that filtering and selecting don't disturb each other. */
  SelectiveColumn filterColumn(int column) throws IOException;

  /** The column as payload, for one window: its next calls select of {@code rows}, all of them. */
  SelectiveColumn payloadColumn(int column, Selection rows) throws IOException;

  /** Lets go of what was fetched. */
  void release();
}
