// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.util.Map;
import org.apache.spark.SparkUnsupportedOperationException;
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn;

/** Types, conversions and errors in which Spark's Parquet readers differ from line to line. */
public final class ParquetColumns {
  private ParquetColumns() {}

  /** Whether the column is a VARIANT, whose values Spark assembles from several file columns. */
  public static boolean isVariant(ParquetColumn column) {
    return column.variantFileType().isDefined();
  }

  /** Whether Spark converts a column to another type than the file's, where no value is lost. */
  public static boolean converts() {
    return true;
  }

  /** The error that Spark throws for an encoding that it does not support. */
  public static RuntimeException unsupported(String encoding) {
    return new SparkUnsupportedOperationException(
        "_LEGACY_ERROR_TEMP_3189", Map.of("encoding", encoding));
  }
}
