// SPDX-License-Identifier: Apache-2.0
package latebloom.sql

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{Command, LeafNode, LogicalPlan, Statistics}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{
  TreePattern,
  UNRESOLVED_TABLE_VALUED_FUNCTION
}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.latebloom.SessionQueries
import org.apache.spark.sql.{AnalysisException, SparkSession}

/** A call of a table function whose query is not analysed yet.
  *
  * Spark makes table functions while it holds the lock of the session's catalog, and an analysis
  * may list files for long: [[AnalyseQueries]] does it afterwards.
  *
  * @param text
  *   the query that is asked about
  */
final private[latebloom] case class Asked(
    function: String,
    question: Question,
    text: Option[String]
) extends LeafNode {
  override def output: Seq[Attribute] = Nil
  override lazy val resolved: Boolean = false
  // To Spark the call of the function is not resolved as long as this is in the plan.
  final override val nodePatterns: Seq[TreePattern] = Seq(UNRESOLVED_TABLE_VALUED_FUNCTION)
}

/** The answer of a table function. It is found when the plan is executed, and not when the plan is
  * analysed, optimised or explained.
  *
  * @param query
  *   the query that is asked about, as the session analyses it
  */
final private[latebloom] case class Answer(
    function: String,
    question: Question,
    text: Option[String],
    query: Option[LogicalPlan],
    override val output: Seq[Attribute]
) extends LeafNode
    with MultiInstanceRelation {

  override def newInstance(): LogicalPlan = copy(output = output.map(_.newInstance()))

  override def computeStats(): Statistics = Statistics(sizeInBytes = Answer.Bytes)

  override def nodeName: String = function

  override def stringArgs: Iterator[Any] = text.iterator ++ Iterator(output)
}

private object Answer {

  /** A guess: an answer is small. */
  private val Bytes = BigInt(1 << 20)
}

/** Analyses the queries that table functions are asked about, in the session that asks. */
final private[latebloom] class AnalyseQueries(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsPattern(UNRESOLVED_TABLE_VALUED_FUNCTION)) {
      case Asked(function, question, text) =>
        val query = text.map(analysed(function, _))
        Answer(function, question, text, query, toAttributes(question.columns))
    }

  private def analysed(function: String, text: String): LogicalPlan = {
    val parsed = said(function)(SessionQueries.parse(session, text))
    // Before it is analysed, too: Spark runs a script in order to analyse it.
    requireQuery(function, parsed)
    val query = said(function)(SessionQueries.analysed(session, parsed))
    requireQuery(function, query)
    query
  }

  private def requireQuery(function: String, plan: LogicalPlan): Unit =
    plan.find(_.isInstanceOf[Command]).foreach { command =>
      throw SessionQueries.refusal(
        function,
        s"$function takes a query, and this is a command (${command.nodeName}), which is not run. " +
          "To do: pass the SELECT that is in it."
      )
    }

  private def said[A](function: String)(plan: => A): A =
    try plan
    catch {
      case error: AnalysisException =>
        throw SessionQueries.refusal(
          function,
          s"$function cannot plan the query that it is given: ${error.getSimpleMessage.trim}\n" +
            "To do: correct that query. It is planned in this session, with its current schema.",
          Some(error)
        )
    }
}
