// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.spark.sql.types.DataType;

/** Columns of Parquet that are read as times of day. */
public final class TimeColumns {
  private TimeColumns() {}

  /**
   * Whether a column of 64 bits is read as {@code type} and holds microseconds. The reader of these
   * lines takes every column for that.
   *
   * @param file what the file says of the column; may be null
   */
  public static boolean areMicros(DataType type, LogicalTypeAnnotation file) {
    return TimeTypes.isTime(type);
  }
}
