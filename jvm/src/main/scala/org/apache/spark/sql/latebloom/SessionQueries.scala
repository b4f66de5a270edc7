// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.execution.{CommandExecutionMode, QueryExecution}
import org.apache.spark.sql.{AnalysisException, SparkSession}

/** Plans queries as a session does, by means that are private to Spark. */
object SessionQueries {

  /** The text as the session's parser reads it, its extensions included. */
  def parse(session: SparkSession, text: String): LogicalPlan =
    apart(session.sessionState.sqlParser.parsePlan(text))

  def analysed(session: SparkSession, query: LogicalPlan): LogicalPlan =
    apart(of(session, query).analyzed)

  /** The plans of a query; a command in it is not executed when it is planned. */
  def of(session: SparkSession, query: LogicalPlan): QueryExecution =
    session.sessionState.executePlan(query, CommandExecutionMode.SKIP)

  /** Errors have positions in this text, and not in that of the query around it. */
  private def apart[A](body: => A): A = CurrentOrigin.withOrigin(Origin())(body)

  /** An error of the class that its cause has, or else of a call with wrong arguments: PySpark
    * needs a class.
    */
  def refusal(
      function: String,
      message: String,
      cause: Option[AnalysisException] = None
  ): AnalysisException = {
    val classOfCause = cause.flatMap(_.errorClass)
    new Refusal(
      message,
      cause,
      classOfCause.getOrElse("FAILED_FUNCTION_CALL"),
      classOfCause.fold(Map("funcName" -> s"`$function`"))(_ => cause.get.messageParameters)
    )
  }

  /** The constructor that takes a text is open to subclasses alone on some lines. */
  final private class Refusal(
      text: String,
      why: Option[Throwable],
      errorClass: String,
      parameters: Map[String, String]
  ) extends AnalysisException(text, None, None, why, Some(errorClass), parameters, Array.empty)
}
