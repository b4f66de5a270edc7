// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import java.lang.reflect.{Method, Parameter}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.{Cross, JoinType}
import org.apache.spark.sql.execution.joinkeys.KeysSubqueryExec
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.latebloom.LateBloomConf
import org.apache.spark.sql.types.{DataType, IntegerType, NullType}

import latebloom.decision.{Reason, Reasons}
import latebloom.read.task.Counter

/** Writes the pages of `docs/reference` that list what the code defines: confs, reasons, metrics.
  */
object ReferencePages {

  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder().master("local[1]").config("spark.ui.enabled", "false")
      .getOrCreate()
    try for ((name, text) <- all(spark))
        Files.write(Path.of(args.head, name), text.getBytes(UTF_8))
    finally spark.stop()
  }

  /** The pages, by their file's name. */
  def all(spark: SparkSession): Map[String, String] =
    Map("confs.md" -> confs, "reasons.md" -> reasons, "metrics.md" -> metrics(spark))

  private def confs: String = page(
    "Settings",
    "LateBloomConf.scala",
    "All settings of LateBloom. They can be set for a session while it runs, by `spark.conf.set` or `SET`, and take " +
      "effect with the next query that Spark plans. `latebloom.confs(spark)` shows their values, and " +
      "[conf/latebloom.conf](../../conf/latebloom.conf) has them in the form of `spark-defaults.conf`. Which of them are " +
      "worth a change: [Tuning](../guide/tuning.md).",
    LateBloomConf.describe(new SQLConf).map(c =>
      s"## `${c.key}`\n\n${c.doc}\n\nDefault `${c.default}`, ${c.kind}.\n"
    )
  )

  private def reasons: String = page(
    "Reasons",
    "Reasons.scala",
    "Whatever LateBloom leaves to Spark has a reason: a code that stays the same in all versions, a sentence, and what to " +
      "do about it. `EXPLAIN`, `latebloom.explain` and `latebloom.whynot` show all three. *Words in italics* stand for " +
      "the column, class or number that the reason is about. [How to read EXPLAIN](../guide/reading.md) has examples.",
    Seq(
      "| code | reason | what to do |\n| --- | --- | --- |\n" +
        allReasons.sortBy(r => (r.code, r.reason)).map(r =>
          s"| `${r.code}` | ${cell(r.reason)} | ${cell(r.fix)} |\n"
        ).mkString
    )
  )

  private def metrics(spark: SparkSession): String = {
    val keys = KeysSubqueryExec("keys", spark.range(1).queryExecution.sparkPlan).metrics.toSeq
    page(
      "Metrics",
      "Counter.java",
      "The Spark UI shows these metrics by their names, `latebloom.profile` and `latebloom.compare` have them by their keys. " +
        "[How to read a profile](../guide/reading.md#the-profile) explains those that matter most.",
      Seq(
        "## Of a scan\n\nA `LateScan` has these, and all that Spark's own scan of files has. They are summed over its tasks.\n",
        rows(Counter.values.toSeq.map(c => (c.key, c.label, unit(c.kind)))),
        "## Of the keys of a join\n\nThe node `KeysSubquery`, which gathers the keys for a join filter.\n",
        rows(keys.map { case (key, m) => (key, m.name.getOrElse(key), unit(m)) })
      )
    )
  }

  private def rows(of: Seq[(String, String, String)]): String =
    "| key | name | unit |\n| --- | --- | --- |\n" + of.map { case (key, label, unit) =>
      s"| `$key` | ${cell(label)} | $unit |\n"
    }.mkString

  private def unit(kind: Counter.Kind): String = kind match {
    case Counter.Kind.COUNT      => "number"
    case Counter.Kind.BYTES      => "bytes"
    case Counter.Kind.PEAK_BYTES => "bytes, the most that a task had, summed over tasks"
    case Counter.Kind.NANOS      => "nanoseconds"
  }

  private def unit(metric: SQLMetric): String = metric.metricType match {
    case "size"   => "bytes"
    case "timing" => "milliseconds"
    case _        => "number"
  }

  private def page(title: String, source: String, about: String, parts: Seq[String]): String =
    (s"<!-- Generated: change $source. -->\n# $title\n\n$about\n" +: parts).mkString("\n")

  private def cell(text: String): String = text.replace("|", "\\|")

  /** Each reason of the object, with the names of its parameters for their values. */
  private def allReasons: Seq[Reason] =
    Reasons.getClass.getMethods.toSeq.filter(_.getReturnType == classOf[Reason]).map(reason)

  private def reason(method: Method): Reason = {
    val parameters = method.getParameters.toSeq
    val made = method.invoke(Reasons, parameters.map(sample(_).asInstanceOf[Object]): _*)
      .asInstanceOf[Reason]
    made.copy(reason = named(made.reason, parameters), fix = named(made.fix, parameters))
  }

  private def sample(of: Parameter): Any =
    samples.collectFirst { case (c, make) if c == of.getType => make(of.getName) }.get

  private def named(text: String, parameters: Seq[Parameter]): String =
    parameters.foldLeft(text)((said, p) =>
      shown.get(p.getType).fold(said)(said.replace(_, s"*${p.getName}*"))
    )

  private val samples: Seq[(Class[_], String => Any)] = Seq(
    classOf[String] -> (name => s"*$name*"),
    classOf[Seq[_]] -> (name => Seq(s"*$name*")),
    classOf[Class[_]] -> (_ => classOf[Object]),
    classOf[DataType] -> (_ => NullType),
    classOf[JoinType] -> (_ => Cross),
    classOf[Expression] -> attribute _,
    classOf[Attribute] -> attribute _,
    classOf[Long] -> (_ => ManyLong),
    classOf[Int] -> (_ => ManyInt)
  )

  /** How the samples appear in a text that cannot have their parameter's name. */
  private val shown: Map[Class[_], String] = Map(
    classOf[Class[_]] -> classOf[Object].getName,
    classOf[DataType] -> NullType.sql,
    classOf[JoinType] -> Cross.toString,
    classOf[Long] -> s"$ManyLong",
    classOf[Int] -> s"$ManyInt"
  )

  private def attribute(name: String): Attribute = AttributeReference(s"*$name*", IntegerType)()

  private lazy val ManyLong = 8123456789L
  private lazy val ManyInt = 812345678
}
