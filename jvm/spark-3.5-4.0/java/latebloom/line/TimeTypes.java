// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import org.apache.spark.sql.types.DataType;

/** Times of day, which are a type from Spark 4.1 on. */
public final class TimeTypes {
  private TimeTypes() {}

  /** No type of this line. */
  public static boolean isTime(DataType type) {
    return false;
  }
}
