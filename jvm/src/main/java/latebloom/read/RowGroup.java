// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import java.util.List;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.selection.Selection;
import org.apache.spark.sql.types.DataType;

/**
 * The unit that a scan works on: a row group of Parquet, a stripe of ORC. Columns are indexes into
 * {@link ScanSpec#columns()}.
 */
public interface RowGroup {

  /** Rows before pruning. */
  int rows();

  /** The rows that statistics and indexes cannot rule out; reads no data. */
  Selection prune() throws IOException;

  /**
   * Whether it is proven that every row passes, so that the predicate need not be evaluated: by the
   * schema, or by statistics that can be relied on.
   */
  boolean allPass(int column, ColumnPredicate predicate) throws IOException;

  /** Bytes of a column in the file, all that it needs to be read included. */
  long bytes(int column) throws IOException;

  /** So many unneeded bytes are worth fetching to save a request; 0 while that is unknown. */
  long roundTripBytes();

  /**
   * A column of which {@code rows} will be read.
   *
   * @param filter whether by a filter, which a dictionary may answer before any row is looked at
   */
  record Need(int column, Selection rows, boolean filter) {}

  /** Makes all that is needed ready in as few requests as the layout allows; once each. */
  void fetch(List<Need> needs) throws IOException;

  /**
   * Reads a column for one use in one window: either one call filters {@code rows}, or calls select
   * all of them. Uses don't disturb each other: payload is use {@link #PAYLOAD}, what the filters
   * read counts from one.
   */
  ColumnCursor cursor(int column, int use, Selection rows) throws IOException;

  /** Use of a column as payload, see {@link #cursor}. */
  int PAYLOAD = 0;

  /** What a vector must hold for the column's values to be selected into it. */
  DataType heldType(int column) throws IOException;

  /** Lets go of what was fetched. */
  void release();
}
