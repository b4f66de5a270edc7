// SPDX-License-Identifier: Apache-2.0
package latebloom

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.{ExplainMode, QueryExecution}
import org.apache.spark.sql.types.StringType

import latebloom.inspect.LateBloomExplain

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

  /** What EXPLAIN says, and what our part of it would be if it asked. */
  def explained(query: QueryExecution, mode: ExplainMode): String = {
    val text = query.explainString(mode)
    val ours = new LateBloomExplain
    val info = ours.generateExtendedInfo(query.executedPlan).stripLineEnd
    val gap = if (text.endsWith("\n\n")) "" else "\n"
    s"$text$gap== Extended Information (${ours.title}) ==\n$info\n\n"
  }

  /** There are no collations. */
  val caseless: Option[StringType] = None

  /** Parquet files are not read as wider types than they have. */
  val readsWider: Boolean = false

  /** Streams of Hadoop have no vectored reads. */
  val hasVectoredReads: Boolean = false
}
