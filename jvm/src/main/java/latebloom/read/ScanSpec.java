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
 * The work of one scan, the same for each of its files; made on the driver when the plan is.
 * Columns go by index: first {@code columns}, then {@code leaves}.
 *
 * @param id which scan this is the work of: the same in all its tasks, and no other scan's
 * @param columns the payload columns in output order, then the filter-only columns
 * @param payload how many of {@code columns} are payload, that is, are output
 * @param leaves fields of structs that are filtered by: each a column that is a struct of one
 *     field, and so on down to the field that is meant
 * @param kept of which payload columns some entries are enough, at most once each
 * @param filters what is evaluated in the scan, all of which must be TRUE
 * @param options the confs that the scan was planned with
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

  /** How many columns there are to read, leaves included. */
  public int columnCount() {
    return columns.length() + leaves.size();
  }

  public StructField column(int index) {
    int leaf = index - columns.length();
    return leaf < 0 ? columns.fields()[index] : leaves.get(leaf);
  }

  /** Under how many structs the values of a column lie that are filtered by. */
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

  /** What is enough of a payload column; null when all of it is asked for. */
  public KeptEntries keptOf(int column) {
    for (KeptEntries k : kept) {
      if (k.column() == column) {
        return k;
      }
    }
    return null;
  }

  /** Type of a column's values, or of the field that a leaf stands for. */
  public DataType valueType(int index) {
    DataType type = column(index).dataType();
    for (int d = depth(index); d > 0; d--) {
      type = ((StructType) type).fields()[0].dataType();
    }
    return type;
  }

  /**
   * @param ordered in the order to evaluate
   * @param anyOrder how many, from the first on, may be evaluated in any order: the others may
   *     fail, and see no row that one before them drops
   * @param whole all of them as one predicate on rows of {@link #columns}
   */
  public record Filters(List<ScanFilter> ordered, int anyOrder, RowPredicate whole)
      implements Serializable {}

  /**
   * @param mergeGapBytes byte ranges of a file that lie at most this far apart are fetched as one
   * @param pageCacheBytes decompressed pages of filter columns that are payload as well are kept up
   *     to this many bytes, so that they are not decompressed twice
   * @param eagerFraction a row group of which at least this share of the rows is expected to
   *     survive is fetched whole, without a second visit for the payload
   * @param batchRows most rows of an output batch
   */
  public record Options(
      long mergeGapBytes, long pageCacheBytes, double eagerFraction, int batchRows)
      implements Serializable {}
}
