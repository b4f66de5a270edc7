// SPDX-License-Identifier: Apache-2.0
package latebloom.sql

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.latebloom.SessionQueries
import org.apache.spark.sql.types.StringType

/** A table function by which any SQL client asks what [[latebloom.inspect.Inspector]] answers.
  *
  * @param usage
  *   what DESCRIBE FUNCTION says
  */
final private case class TableFunction(name: String, question: Question, usage: String) {

  /** A call with resolved arguments. */
  def apply(arguments: Seq[Expression]): LogicalPlan =
    Asked(name, question, Arguments.of(question, s"$name(", name, arguments))
}

/** The table functions of LateBloom. */
private[latebloom] object TableFunctions {

  private val all = Seq(
    TableFunction(
      "latebloom_version",
      Question.version,
      "_FUNC_() - Returns the versions of LateBloom, Spark and Scala."
    ),
    TableFunction(
      "latebloom_confs",
      Question.confs,
      "_FUNC_() - Returns all settings of LateBloom with their values in this session."
    ),
    TableFunction(
      "latebloom_cache",
      Question.cache,
      "_FUNC_() - Returns what scans of this application remember, and what that has saved."
    ),
    TableFunction(
      "latebloom_clear_cache",
      Question.clearCache,
      "_FUNC_() - Forgets what scans remember, and returns what that was."
    ),
    TableFunction(
      "latebloom_explain",
      Question.explain,
      "_FUNC_(query) - Plans a query, and returns the decision about each scan, join and order."
    ),
    TableFunction(
      "latebloom_whynot",
      Question.whyNot,
      "_FUNC_(query) - Plans a query, and returns what is left to Spark, and why, the largest first."
    ),
    TableFunction(
      "latebloom_profile",
      Question.profile,
      "_FUNC_(query) - Runs a query, drops its rows, and returns what its scans did, step by step."
    )
  )

  /** For programs: the whole of an answer as one text. */
  private val Json = "latebloom_json"

  private val JsonUsage =
    "_FUNC_(question[, query]) - Returns an answer as JSON. The questions are " +
      s"${Question.json.keys.toSeq.sorted.mkString(", ")}."

  def register(extensions: SparkSessionExtensions): Unit = {
    def inject(name: String, usage: String)(call: Seq[Expression] => LogicalPlan): Unit =
      extensions.injectTableFunction((FunctionIdentifier(name), info(name, usage), call))
    all.foreach(function => inject(function.name, function.usage)(function(_)))
    inject(Json, JsonUsage)(json)
    extensions.injectResolutionRule(new AnalyseQueries(_))
    extensions.injectPlannerStrategy(_ => AnswerPlanning)
  }

  /** What Spark lists of a function; this one has no database, and no more to tell. */
  private def info(name: String, usage: String): ExpressionInfo =
    new ExpressionInfo(getClass.getName, null, name, usage, "", "", "", "", "", "", "")

  private def json(arguments: Seq[Expression]): LogicalPlan = {
    val asked = arguments.headOption.map(Arguments.constant(Json, "question", _, s"$Json('confs')"))
    val question = asked.flatMap(Question.json.get).getOrElse {
      throw SessionQueries.refusal(
        Json,
        s"$Json has no answer to ${asked.fold("nothing")(q => s"'$q'")}. " +
          s"To do: ask for one of ${Question.json.keys.toSeq.sorted.mkString("'", "', '", "'")}."
      )
    }
    Asked(Json, question, Arguments.of(question, s"$Json('${asked.get}', ", Json, arguments.tail))
  }
}

/** Reads arguments of table functions. */
private object Arguments {

  /** The query that a question is about.
    *
    * @param call
    *   what stands before the query in a call of the function
    */
  def of(
      question: Question,
      call: String,
      function: String,
      arguments: Seq[Expression]
  ): Option[String] = {
    val example = s"$call'SELECT ...')"
    arguments match {
      case Nil if !question.needsQuery       => None
      case Seq(query) if question.needsQuery => Some(constant(function, "query", query, example))
      case given if question.needsQuery      =>
        throw SessionQueries.refusal(
          function,
          s"$function takes the text of one query, and it is given ${given.size} arguments for it. " +
            s"To do: SELECT * FROM $example, with each quote in the text written twice."
        )
      case given =>
        throw SessionQueries.refusal(
          function,
          s"$function takes no query here, and it is given ${given.map(_.sql).mkString(", ")}. " +
            "To do: leave that out."
        )
    }
  }

  /** The text of a constant, which may be a parameter or a variable of the session. */
  def constant(
      function: String,
      parameter: String,
      argument: Expression,
      example: String
  ): String = {
    // Spark names a variable.
    val value = argument match {
      case Alias(child, _) => child
      case other           => other
    }
    def refused(is: String) = SessionQueries.refusal(
      function,
      s"The $parameter of $function must be a constant string, and ${value.sql} is $is. To do: " +
        s"write the text itself in quotes, as in $example, or pass it as a parameter or a variable " +
        "of the session."
    )
    if (!value.foldable) throw refused("not constant")
    if (value.eval() == null) throw refused("null")
    if (!value.dataType.isInstanceOf[StringType])
      throw refused(s"of the type ${value.dataType.sql}")
    value.eval().toString
  }
}
