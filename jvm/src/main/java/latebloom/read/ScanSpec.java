// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.StructType;

/**
 * The work of one scan, the same for each of its files; made on the driver when the plan is.
 *
 * @param columns the payload columns in output order, then the filter-only columns
 * @param payload how many of {@code columns} are payload, that is, are output
 * @param filters what is evaluated in the scan, at most one a column, in the order to evaluate
 * @param options the confs that the scan was planned with
 */
public record ScanSpec(StructType columns, int payload, List<ScanFilter> filters, Options options)
    implements Serializable {

  /**
   * @param mergeGapBytes byte ranges of a file that lie at most this far apart are fetched as one
   * @param pageCacheBytes decompressed pages of filter columns that are payload as well are kept up
   *     to this many bytes, so that they are not decompressed twice
   * @param eagerFraction a row group of which at least this share of the rows is expected to
   *     survive is fetched whole, without a second visit for the payload
   * @param batchRows most rows of an output batch
   */
  public record Options(long mergeGapBytes, long pageCacheBytes, double eagerFraction, int batchRows)
      implements Serializable {}
}
