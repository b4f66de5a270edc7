// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.IOException;
import java.util.List;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.selection.Selection;
import org.apache.spark.sql.types.DataType;

/**
 * The unit of work of a scan: a row group of Parquet, a stripe of ORC. Columns are indexes into
 * {@link ScanSpec#columns()}.
 */
public interface RowGroup {

  /** Rows before pruning. */
  int rows();

  /** Number in the file of the first row; negative if unknown. */
  long firstRow();

  /** The rows that statistics and indexes cannot rule out; reads no data. */
  Selection prune() throws IOException;

  /**
   * Whether {@link #prune} rules out the same rows in each scan with these conditions, whatever its
   * columns: where indexes are not to be trusted, it does what Spark does for these columns.
   */
  default boolean prunesForAnyColumns() {
    return true;
  }

  /**
   * Whether the schema or trusted statistics prove that every row passes, so that the scan need not
   * evaluate the predicate.
   */
  boolean allPass(int column, ColumnPredicate predicate) throws IOException;

  /**
   * The least and the greatest value of a column, each of which some row has.
   *
   * @param isEmpty whether the column has only nulls
   */
  record Extremes(boolean isEmpty, long least, long greatest) {
    /** Of a column of nulls. */
    public static final Extremes NONE = new Extremes(true, 0, 0);
  }

  /**
   * The extremes of a payload column as the longs that its values are held in; null if the file
   * does not tell them exactly.
   */
  default Extremes extremes(int column) throws IOException {
    return null;
  }

  /** How many rows have a null in a payload column; negative if the file does not tell. */
  default long nulls(int column) throws IOException {
    return -1;
  }

  /**
   * All values that the rows have in a payload column, each at least once, and a null if some row
   * has none; null if the file does not tell them. Fetches what it reads.
   *
   * @param nulls how many rows have a null, fewer than all
   */
  default DistinctRows.Values distinct(int column, long nulls) throws IOException {
    return null;
  }

  /** Bytes in the file that reading a column takes. */
  long bytes(int column) throws IOException;

  /** About how many of them reading these rows takes. */
  default long bytes(int column, Selection rows) throws IOException {
    return (long) (bytes(column) * rows.spread());
  }

  /** How many unneeded bytes are worth fetching to save a request; 0 while unknown. */
  long roundTripBytes();

  /**
   * A column and the rows to read of it.
   *
   * @param filter whether a filter reads it, which the dictionary alone may settle
   */
  record Need(int column, Selection rows, boolean filter) {}

  /** Fetches all needs in as few requests as the layout allows, each byte once. */
  void fetch(List<Need> needs) throws IOException;

  /**
   * A cursor over a column for one use in one window: either one call filters {@code rows}, or
   * calls select all of them. Uses are independent: payload is use {@link #PAYLOAD}, the filters'
   * uses count from one.
   */
  ColumnCursor cursor(int column, int use, Selection rows) throws IOException;

  /** The use of a column as payload, see {@link #cursor}. */
  int PAYLOAD = 0;

  /** The type of the vector into which the column's values are selected. */
  DataType heldType(int column) throws IOException;

  /** Releases fetched bytes. */
  void release();
}
