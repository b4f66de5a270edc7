// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.TimeType;

/** Columns of Parquet that are read as times of day. */
public final class TimeColumns {
  private TimeColumns() {}

  /**
   * Whether a column of 64 bits is read as {@code type} and holds microseconds, none of which the
   * type drops. The reader of this line also has columns of nanoseconds, and of less.
   *
   * @param file what the file says of the column; may be null
   */
  public static boolean areMicros(DataType type, LogicalTypeAnnotation file) {
    return type instanceof TimeType time
        && time.precision() >= TimeType.MICROS_PRECISION()
        && file instanceof TimeLogicalTypeAnnotation t
        && t.getUnit() == TimeUnit.MICROS;
  }
}
