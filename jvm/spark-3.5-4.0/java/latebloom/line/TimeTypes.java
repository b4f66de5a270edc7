// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import org.apache.spark.sql.types.DataType;

/** The TIME type, which exists from Spark 4.1 on. */
public final class TimeTypes {
  private TimeTypes() {}

  /** Whether values of the type are nanoseconds since midnight: never in these lines. */
  public static boolean isTime(DataType type) {
    return false;
  }
}
