// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn;

/** Types, conversions and errors in which Spark's Parquet readers differ from line to line. */
public final class ParquetColumns {
  private ParquetColumns() {}

  /** Whether the column is a VARIANT: never in this line, which has no such type. */
  public static boolean isVariant(ParquetColumn column) {
    return false;
  }

  /**
   * Whether Spark converts a column to another type than the file's, where no value is lost: not in
   * this line, except to decimals of more digits.
   */
  public static boolean converts() {
    return false;
  }

  /** The error that Spark throws for an encoding that it does not support. */
  public static RuntimeException unsupported(String encoding) {
    return new UnsupportedOperationException("Unsupported encoding: " + encoding);
  }
}
