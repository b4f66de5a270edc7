// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.TimeType;

/** The TIME type, which exists from Spark 4.1 on. */
public final class TimeTypes {
  private TimeTypes() {}

  /** Whether values of the type are nanoseconds since midnight. */
  public static boolean isTime(DataType type) {
    return type instanceof TimeType;
  }
}
