// SPDX-License-Identifier: Apache-2.0
package latebloom.sql

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.latebloom.SessionQueries
import org.apache.spark.sql.types._

/** A table function by which any SQL client asks what [[latebloom.inspect.Inspector]] answers.
  *
  * @param usage
  *   what DESCRIBE FUNCTION says
  * @param ofEnded
  *   what it answers about a query that has ended, by its number, in place of a query's text
  */
final private case class TableFunction(
    name: String,
    question: Question,
    usage: String,
    ofEnded: Option[Long => Question] = None
) {

  /** A call with resolved arguments. */
  def apply(arguments: Seq[Expression]): LogicalPlan = {
    val ended = for {
      question <- ofEnded
      Seq(argument) <- Some(arguments)
      executionId <- Arguments.number(argument)
    } yield Asked(name, question(executionId), None)
    ended.getOrElse(Asked(name, question, Arguments.of(question, s"$name(", name, arguments)))
  }
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
      "_FUNC_(query) - Runs a query, drops its rows, and returns what its scans did, step by step. " +
        "_FUNC_(execution_id) - Returns that of a query that has ended, by its number in the Spark UI.",
      ofEnded = Some(id => Question.profileOf(id))
    ),
    TableFunction(
      "latebloom_queries",
      Question.queries,
      "_FUNC_() - Returns the last queries of this application that read tables or files, with the " +
        "numbers by which latebloom_profile knows them."
    )
  )

  /** For programs: the whole of an answer as one text. */
  private val Json = "latebloom_json"

  /** The question about a query that has ended. */
  private val Report = "report"

  private val JsonUsage =
    "_FUNC_(question[, query]) - Returns an answer as JSON. The questions are " +
      s"${questions.mkString(", ")}; $Report takes the number of a query that has ended."

  private def questions: Seq[String] = (Question.json.keys.toSeq :+ Report).sorted

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
    if (asked.contains(Report)) report(arguments.tail) else answer(asked, arguments)
  }

  private def report(arguments: Seq[Expression]): LogicalPlan = arguments match {
    case Seq(argument) if Arguments.number(argument).nonEmpty =>
      Asked(Json, Question.reportOf(Arguments.number(argument).get), None)
    case given =>
      throw SessionQueries.refusal(
        Json,
        s"$Json('$Report') takes the number of a query, and it is given " +
          s"${if (given.isEmpty) "nothing" else given.map(_.sql).mkString(", ")}. " +
          s"To do: SELECT * FROM $Json('$Report', 7)."
      )
  }

  private def answer(asked: Option[String], arguments: Seq[Expression]): LogicalPlan = {
    val question = asked.flatMap(Question.json.get).getOrElse {
      throw SessionQueries.refusal(
        Json,
        s"$Json has no answer to ${asked.fold("nothing")(q => s"'$q'")}. " +
          s"To do: ask for one of ${questions.mkString("'", "', '", "'")}."
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

  /** The value of a constant that is a whole number; None if it is something else. */
  def number(argument: Expression): Option[Long] = {
    val value = named(argument)
    value.dataType match {
      case ByteType | ShortType | IntegerType | LongType if value.foldable =>
        Option(value.eval()).map(_.asInstanceOf[Number].longValue)
      case _ => None
    }
  }

  /** Spark names a variable. */
  private def named(argument: Expression): Expression = argument match {
    case Alias(child, _) => child
    case other           => other
  }

  /** The text of a constant, which may be a parameter or a variable of the session. */
  def constant(
      function: String,
      parameter: String,
      argument: Expression,
      example: String
  ): String = {
    val value = named(argument)
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
