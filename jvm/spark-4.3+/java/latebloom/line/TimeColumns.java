// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.TimeType;

/** Parquet columns of the TIME type. */
public final class TimeColumns {
  private TimeColumns() {}

  /**
   * Whether {@code type} is TIME of microsecond precision or finer and a 64-bit column of it holds
   * microseconds, so that no digit is dropped. The reader of this line also knows columns of
   * nanoseconds, and types of lower precision.
   *
   * @param file the column's annotation in the file, or null
   */
  public static boolean areMicros(DataType type, LogicalTypeAnnotation file) {
    return type instanceof TimeType time
        && time.precision() >= TimeType.MICROS_PRECISION()
        && file instanceof TimeLogicalTypeAnnotation t
        && t.getUnit() == TimeUnit.MICROS;
  }
}
