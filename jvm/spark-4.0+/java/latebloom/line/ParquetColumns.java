// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.util.Map;
import org.apache.spark.SparkUnsupportedOperationException;
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn;

/** What this line's reader of Parquet has, and says, that others do not. */
public final class ParquetColumns {
  private ParquetColumns() {}

  /** Whether Spark puts the values of the column together from several in the file. */
  public static boolean isVariant(ParquetColumn column) {
    return column.variantFileType().isDefined();
  }

  /** Whether it reads a column as another type than the file's, if no value is lost. */
  public static boolean converts() {
    return true;
  }

  /** What Spark throws when it comes to an encoding that it does not read. */
  public static RuntimeException unsupported(String encoding) {
    return new SparkUnsupportedOperationException(
        "_LEGACY_ERROR_TEMP_3189", Map.of("encoding", encoding));
  }
}
