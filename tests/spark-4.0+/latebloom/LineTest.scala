// SPDX-License-Identifier: Apache-2.0
package latebloom

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.{ExplainMode, QueryExecution}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StringType

/** Errors, settings and features of Spark that differ from line to line. */
object LineTest {

  /** The error's condition, such as `FAILED_READ_FILE`. */
  def condition(error: SparkThrowable): String = error.getCondition

  /** The error of the task that failed: the query's error itself. */
  def ofTask(error: Throwable): Throwable = error

  /** Whether the task's error reports a file that cannot be read, and names it. */
  def isFailedRead(error: Throwable, file: String): Boolean = error match {
    case e: SparkThrowable =>
      condition(e).startsWith("FAILED_READ_FILE") &&
      e.getMessageParameters.get("path").contains(file)
    case _ => false
  }

  /** Creates an error with the condition. */
  def error(condition: String): Throwable =
    new ArithmeticException with SparkThrowable {
      override def getCondition: String = condition
    }

  /** The conf that names the providers of EXPLAIN; None for a line without them. */
  val explainProviders: Option[String] = Some(SQLConf.EXTENDED_EXPLAIN_PROVIDERS.key)

  /** The text of EXPLAIN, including LateBloom's section. */
  def explained(query: QueryExecution, mode: ExplainMode): String = query.explainString(mode)

  /** A type whose equal strings may differ in their bytes; None for a line without collations. */
  val caseless: Option[StringType] = Some(StringType("UTF8_LCASE"))

  /** Whether Spark reads Parquet columns as wider types than the file's. */
  val readsWider: Boolean = true

  /** Whether Hadoop's streams support vectored reads. */
  val hasVectoredReads: Boolean = true
}
