// SPDX-License-Identifier: Apache-2.0
package latebloom

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.{ExplainMode, ExtendedMode, QueryExecution}
import org.apache.spark.sql.types.StringType

import latebloom.inspect.LateBloomExplain

/** Errors, settings and features of Spark that differ from line to line. */
object LineTest {

  /** The error's class, which later lines call its condition. */
  def condition(error: SparkThrowable): String = error.getErrorClass

  /** The error of the task that failed: the cause of the query's error. */
  def ofTask(error: Throwable): Throwable = error.getCause

  /** Whether the task's error names the file: this line wraps no error of opening a file. */
  def isFailedRead(error: Throwable, file: String): Boolean =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).exists(_.getMessage.contains(file))

  /** Creates an error with the error class. */
  def error(condition: String): Throwable =
    new ArithmeticException with SparkThrowable {
      override def getErrorClass: String = condition
    }

  /** The conf that names the providers of EXPLAIN; None: this line has no such conf. */
  val explainProviders: Option[String] = None

  /** The text of EXPLAIN and LateBloom's section, which EXPLAIN lacks in this line. */
  def explained(query: QueryExecution, mode: ExplainMode): String = {
    val text = query.explainString(mode)
    val ours = new LateBloomExplain
    val info = ours.generateExtendedInfo(query.executedPlan).stripLineEnd
    val gap = if (text.endsWith("\n\n")) "" else "\n"
    // Later lines end all texts but the extended one with an empty line.
    val end = if (mode == ExtendedMode) "\n" else "\n\n"
    s"$text$gap== Extended Information (${ours.title}) ==\n$info$end"
  }

  /** A type whose equal strings may differ in their bytes; None: this line has no collations. */
  val caseless: Option[StringType] = None

  /** Whether Spark reads Parquet columns as wider types than the file's. */
  val readsWider: Boolean = false

  /** Whether Hadoop's streams support vectored reads. */
  val hasVectoredReads: Boolean = false
}
