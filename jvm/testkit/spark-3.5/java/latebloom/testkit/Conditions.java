// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit;

import org.apache.spark.SparkThrowable;

/** What Spark calls an error by, such as {@code DIVIDE_BY_ZERO}. */
public final class Conditions {
  private Conditions() {}

  /** The error's condition, which this line calls its class, or null. */
  public static String of(SparkThrowable error) {
    return error.getErrorClass();
  }
}
