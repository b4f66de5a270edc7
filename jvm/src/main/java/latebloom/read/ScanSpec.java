// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.Serializable;
import java.util.List;
import latebloom.read.predicate.KeptEntries;
import latebloom.read.predicate.RowPredicate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The work of one scan, the same for each of its files; the driver creates it during planning.
 * Column indexes count {@code columns} first, then {@code leaves}.
 *
 * @param id unique to the scan, and the same in all its tasks
 * @param columns the payload columns in output order, then the filter-only columns
 * @param payload how many of {@code columns} are payload, that is, output
 * @param leaves struct fields that filters read: each a column of nested structs of one field, down
 *     to the field itself
 * @param kept payload columns that need only some of their entries, each listed at most once
 * @param filters the conditions that the scan evaluates, all of which must be TRUE
 * @param options the confs at planning time
 */
public record ScanSpec(
    String id,
    StructType columns,
    int payload,
    List<StructField> leaves,
    List<KeptEntries> kept,
    Filters filters,
    Options options)
    implements Serializable {

  /** How many columns the scan reads, leaves included. */
  public int columnCount() {
    return columns.length() + leaves.size();
  }

  public StructField column(int index) {
    int leaf = index - columns.length();
    return leaf < 0 ? columns.fields()[index] : leaves.get(leaf);
  }

  /** The column's name for people, with the structs around a leaf. */
  public String nameOf(int index) {
    StringBuilder name = new StringBuilder(column(index).name());
    DataType type = column(index).dataType();
    for (int d = depth(index); d > 0; d--) {
      StructField field = ((StructType) type).fields()[0];
      name.append('.').append(field.name());
      type = field.dataType();
    }
    return name.toString();
  }

  /** How many structs enclose the values of a filter column. */
  public int depth(int index) {
    int depth = 0;
    if (index >= columns.length()) {
      DataType type = column(index).dataType();
      for (; type instanceof StructType s; type = s.fields()[0].dataType()) {
        depth++;
      }
    }
    return depth;
  }

  /** The needed entries of a payload column; null for all. */
  public KeptEntries keptOf(int column) {
    for (KeptEntries k : kept) {
      if (k.column() == column) {
        return k;
      }
    }
    return null;
  }

  /** Type of a column's values, or of a leaf's field. */
  public DataType valueType(int index) {
    DataType type = column(index).dataType();
    for (int d = depth(index); d > 0; d--) {
      type = ((StructType) type).fields()[0].dataType();
    }
    return type;
  }

  /**
   * @param ordered in the order of evaluation
   * @param anyOrder how many of the first may run in any order; the others may fail, and see no row
   *     that an earlier one drops
   * @param whole all filters as one predicate on rows of {@link #columns}
   */
  public record Filters(List<ScanFilter> ordered, int anyOrder, RowPredicate whole)
      implements Serializable {}

  /**
   * @param mergeGapBytes merges byte ranges of a file that lie at most this far apart into one
   *     request
   * @param pageCacheBytes limit for keeping decompressed pages of filter columns that are also
   *     payload
   * @param eagerFraction fetches a row group whole, without a second visit for the payload, if at
   *     least this share of its rows is expected to survive
   * @param batchRows most rows of an output batch
   * @param wantedRows about how many rows a LIMIT above the scan takes of it; {@link #ALL} if it
   *     takes all
   * @param metadataBytes most bytes of files' metadata that a process keeps for other scans; 0 for
   *     none
   * @param distinct whether each row may be left out that equals another one, of a scan with one
   *     payload column
   */
  public record Options(
      long mergeGapBytes,
      long pageCacheBytes,
      double eagerFraction,
      int batchRows,
      int wantedRows,
      boolean distinct,
      long metadataBytes)
      implements Serializable {
    /** No LIMIT. */
    public static final int ALL = Integer.MAX_VALUE;

    /** The options of a scan all of whose rows are wanted. */
    public Options(long mergeGapBytes, long pageCacheBytes, double eagerFraction, int batchRows) {
      this(mergeGapBytes, pageCacheBytes, eagerFraction, batchRows, ALL, false, 0);
    }

    /** Whether a LIMIT most likely ends the scan early. */
    public boolean isLimited() {
      return wantedRows < ALL;
    }
  }
}
