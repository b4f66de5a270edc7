// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn;

/** What this line's reader of Parquet has, and says, that others do not. */
public final class ParquetColumns {
  private ParquetColumns() {}

  /** This line has no variants. */
  public static boolean isVariant(ParquetColumn column) {
    return false;
  }

  /** This line reads a column as the file's type, as a decimal of more digits at most. */
  public static boolean converts() {
    return false;
  }

  /** What Spark throws when it comes to an encoding that it does not read. */
  public static RuntimeException unsupported(String encoding) {
    return new UnsupportedOperationException("Unsupported encoding: " + encoding);
  }
}
