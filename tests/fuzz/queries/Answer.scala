// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

import scala.collection.Map

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types._
import org.apache.spark.sql.{AnalysisException, Row}

import latebloom.testkit.Conditions

/** The outcome of a query. */
sealed trait Answer { def planMillis: Long }

/** @param late
  *   the number of LateScans in the plan
  * @param means
  *   the source of keys of each join filter in the plan
  */
final case class Rows(
    schema: DataType,
    rows: Seq[String],
    planMillis: Long,
    late: Int,
    means: Seq[String]
) extends Answer

/** @param condition
  *   the innermost error condition of Spark, else the exception's class
  * @param outer
  *   the condition of the exception that reaches the user
  */
final case class Failed(
    condition: String,
    outer: String,
    message: String,
    inAnalysis: Boolean,
    planMillis: Long = 0
) extends Answer

final case class Hung(dump: String, planMillis: Long = 0) extends Answer

object Failed {
  def of(e: Throwable): Failed = {
    val chain = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).take(20).toSeq
    val conditions =
      chain.collect { case t: SparkThrowable => Conditions.of(t) }.filter(_ != null)
    Failed(
      conditions.filterNot(wrapping).lastOption.orElse(conditions.lastOption)
        .getOrElse(chain.last.getClass.getName),
      outer = e match {
        case t: SparkThrowable if Conditions.of(t) != null => Conditions.of(t)
        case other                                         =>
          s"${other.getClass.getSimpleName} ${String.valueOf(other.getMessage).take(30)}"
      },
      chain.map(_.toString.linesIterator.take(4).mkString(" ").take(300)).distinct.mkString("\n  "),
      e.isInstanceOf[AnalysisException]
    )
  }

  private val wrapping =
    Set("FAILED_READ_FILE.NO_HINT", "TASK_WRITE_FAILED", "INTERNAL_ERROR_BROADCAST")

  /** Whether rows or the query cause it. Plans may decide which of several such errors comes first.
    */
  val ofRows: Set[String] = Set(
    "DIVIDE_BY_ZERO",
    "CAST_INVALID_INPUT",
    "ARITHMETIC_OVERFLOW",
    "CAST_OVERFLOW",
    "NUMERIC_VALUE_OUT_OF_RANGE",
    "SCALAR_SUBQUERY_TOO_MANY_ROWS",
    "INVALID_ARRAY_INDEX",
    "DATETIME_OVERFLOW",
    "INTERVAL_ARITHMETIC_OVERFLOW",
    "NUMERIC_OUT_OF_SUPPORTED_RANGE"
  )

  /** When a stage fails, adaptive execution stops the other stages and keeps that as their failure:
    * a repeated query reports the failure of the stage that it asks first.
    */
  def isOfStoppedStage(f: Failed): Boolean =
    f.condition == "SPARK_JOB_CANCELLED" &&
      f.message.contains("The corresponding SQL query has failed")

  /** Spark starts a broadcast whose keys contain a scalar subquery without waiting for the
    * subquery: whether the query fails is a race.
    */
  def isOfUnfinishedSubquery(f: Failed): Boolean =
    f.condition == classOf[IllegalArgumentException].getName &&
      f.message.contains("has not finished")

  def isOfRows(f: Failed): Boolean = ofRows.exists(f.condition.startsWith)
}

object Rows {

  /** A row of an answer. The order of rows decides which of several equal values represents a group
    * or comes out of a union, so equal zeros and equal collated strings are shown alike.
    */
  def of(row: Row, schema: StructType): String = row.toSeq.zip(schema.fields).map {
    case (s: String, StructField(_, t: StringType, _, _)) if isCollated(t) =>
      text(s.trim.toLowerCase(java.util.Locale.ROOT))
    case (-0.0d, _) => text(0.0d)
    case (-0.0f, _) => text(0.0f)
    case (value, _) => text(value)
  }.mkString("[", ", ", "]")

  private def isCollated(t: StringType) = t.sql.contains("COLLATE")

  /** A value as text that differs wherever the bits differ. */
  def text(value: Any): String = value match {
    case null           => "null"
    case r: Row         => r.toSeq.map(text).mkString("[", ", ", "]")
    case s: String      => s"'$s'"
    case b: Array[Byte] => b.map(x => f"$x%02x").mkString("x'", "", "'")
    case m: Map[_, _]   =>
      m.toSeq.map { case (k, v) => s"${text(k)}: ${text(v)}" }.sorted.mkString("{", ", ", "}")
    case a: scala.collection.Seq[_] => a.map(text).mkString("(", ", ", ")")
    case other                      => other.toString
  }
}
