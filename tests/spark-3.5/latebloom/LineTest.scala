// SPDX-License-Identifier: Apache-2.0
package latebloom

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types.StringType

/** What tests see differently from line to line. */
object LineTest {

  /** The name of the error. */
  def condition(error: SparkThrowable): String = error.getErrorClass

  /** Whether it is that a file cannot be read: in this line it has no name. */
  def isFailedRead(error: SparkThrowable): Boolean =
    error.getErrorClass == "_LEGACY_ERROR_TEMP_2064"

  /** An error of Spark's of this name. */
  def error(condition: String): Throwable =
    new ArithmeticException with SparkThrowable {
      override def getErrorClass: String = condition
    }

  /** EXPLAIN does not ask others. */
  val explainProviders: Option[String] = None

  /** There are no collations. */
  val caseless: Option[StringType] = None

  /** Parquet files are not read as wider types than they have. */
  val readsWider: Boolean = false
}
