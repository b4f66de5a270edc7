// SPDX-License-Identifier: Apache-2.0
package latebloom

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.{ExplainMode, QueryExecution}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StringType

/** What tests see differently from line to line. */
object LineTest {

  /** The name of the error. */
  def condition(error: SparkThrowable): String = error.getCondition

  /** Whether it is that a file cannot be read. */
  def isFailedRead(error: SparkThrowable): Boolean =
    error.getCondition.startsWith("FAILED_READ_FILE")

  /** An error of Spark's of this name. */
  def error(condition: String): Throwable =
    new ArithmeticException with SparkThrowable {
      override def getCondition: String = condition
    }

  /** Whether EXPLAIN tells of scans, and by which conf. */
  val explainProviders: Option[String] = Some(SQLConf.EXTENDED_EXPLAIN_PROVIDERS.key)

  /** What EXPLAIN says, with our part of it. */
  def explained(query: QueryExecution, mode: ExplainMode): String = query.explainString(mode)

  /** Texts that are equal with other bytes. */
  val caseless: Option[StringType] = Some(StringType("UTF8_LCASE"))

  /** Whether Parquet files are read as wider types than they have. */
  val readsWider: Boolean = true

  /** Whether streams of Hadoop have vectored reads. */
  val hasVectoredReads: Boolean = true
}
