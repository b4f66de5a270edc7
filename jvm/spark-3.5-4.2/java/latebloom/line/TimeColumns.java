// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.spark.sql.types.DataType;

/** Parquet columns of the TIME type. */
public final class TimeColumns {
  private TimeColumns() {}

  /**
   * Whether {@code type} is TIME and a 64-bit column of it holds microseconds. The reader of these
   * lines assumes microseconds for every TIME column.
   *
   * @param file the column's annotation in the file, or null
   */
  public static boolean areMicros(DataType type, LogicalTypeAnnotation file) {
    return TimeTypes.isTime(type);
  }
}
