// SPDX-License-Identifier: Apache-2.0
package latebloom

import java.net.{URL, URLClassLoader}

import scala.collection.mutable
import scala.util.Properties

import org.apache.logging.log4j.Level

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.{SPARK_VERSION, SparkFunSuite}

import latebloom.line.SparkLine

class LateBloomExtensionsSuite extends SparkFunSuite {

  /** Records the calls of an extension by name. */
  private class Asked extends SparkSessionExtensions {
    val calls = mutable.Buffer.empty[String]
    override def injectPlannerStrategy(builder: StrategyBuilder): Unit = calls += "strategy"
    override def injectOptimizerRule(builder: RuleBuilder): Unit = calls += "optimizer"
    override def injectQueryStagePrepRule(builder: QueryStagePrepRuleBuilder): Unit =
      calls += "stage"
    override def injectColumnar(builder: ColumnarRuleBuilder): Unit = calls += "columnar"
    override def injectResolutionRule(builder: RuleBuilder): Unit = calls += "resolution"
    override def injectTableFunction(function: TableFunctionDescription): Unit =
      calls += function._1.funcName
  }

  private val line = BuiltFor.spark
  private val scalas = Seq(BuiltFor.scala, s"${BuiltFor.scala}.99")

  private val others = Seq("3.5", "4.0", "4.1", "4.2", "4.3", "5.0", "6.0")
    .filter(_ != line)
    .flatMap(other => Seq(other, s"$other.7", s"$other.0-SNAPSHOT")) ++
    Seq(s"${line}0.0", "4", "")

  private val otherScalas = Seq("2.11.12", "2.12.18", "2.13.17", "3.3.1", "2")
    .filterNot(_.startsWith(BuiltFor.scala))

  test("the Spark that this is compiled against gets rules and functions, as its patches do") {
    val patches = Seq(SPARK_VERSION, s"$line.0", s"$line.99", s"$line.4-SNAPSHOT", line)
    for (spark <- patches; scala <- scalas :+ Properties.versionNumberString) {
      val asked = new Asked
      new LateBloomExtensions(spark, scala)(asked)
      assert(
        asked.calls.sorted == Seq(
          "columnar",
          "latebloom_cache",
          "latebloom_clear_cache",
          "latebloom_confs",
          "latebloom_explain",
          "latebloom_json",
          "latebloom_profile",
          "latebloom_queries",
          "latebloom_version",
          "latebloom_whynot",
          "optimizer",
          "optimizer",
          "resolution",
          "stage",
          "strategy",
          "strategy",
          "strategy",
          "strategy"
        ),
        spark
      )
    }
    val asked = new Asked
    new LateBloomExtensions()(asked)
    assert(asked.calls.nonEmpty)
  }

  test("another line of Spark gets nothing, and one sentence in the log, however often it asks") {
    val log = new LogAppender("refusals")
    withLogAppender(log, level = Some(Level.WARN)) {
      val spark = others.map((_, scalas.head)) ++ otherScalas.map((SPARK_VERSION, _))
      for ((spark, scala) <- spark) {
        val asked = new Asked
        new LateBloomExtensions(spark, scala)(asked)
        assert(asked.calls.isEmpty, (spark, scala))
      }
    }
    val said =
      log.loggingEvents.map(_.getMessage.getFormattedMessage).filter(_.contains("LateBloom"))
    assert(said.toSeq == Seq(SparkLine.refusal(others.head, scalas.head)))
    assert(said.head.contains(s"needs Spark $line with Scala ${BuiltFor.scala} and this is Spark"))
  }

  test("on another line no class is loaded that Spark or Scala might not have there") {
    val loader = new Recording
    val extensions = loader
      .loadClass("latebloom.LateBloomExtensions")
      .getConstructor(classOf[String], classOf[String])
      .newInstance("3.4.7", "2.12.17")
      .asInstanceOf[SparkSessionExtensions => Unit]
    extensions(new SparkSessionExtensions)
    val ours = loader.asked.filter(_.startsWith("latebloom."))
    assert(ours.toSet == Set("latebloom.LateBloomExtensions", "latebloom.line.SparkLine$"))
    val theirs = loader.asked.filterNot(n => n.startsWith("java.") || n.startsWith("latebloom."))
    assert(
      theirs.toSet.subsetOf(
        Set(
          "org.apache.spark.package$",
          "org.apache.spark.sql.SparkSessionExtensions",
          "org.slf4j.Logger",
          "org.slf4j.LoggerFactory",
          "scala.Function1",
          "scala.runtime.BoxedUnit"
        )
      ),
      theirs
    )
  }

  /** Loads our classes anew and records the class requests of the JVM for them. */
  private class Recording
      extends URLClassLoader(
        Array[URL](classOf[LateBloomExtensions].getProtectionDomain.getCodeSource.getLocation),
        getClass.getClassLoader
      ) {
    val asked = mutable.Buffer.empty[String]

    override def loadClass(name: String, resolve: Boolean): Class[_] =
      getClassLoadingLock(name).synchronized {
        asked += name
        val loaded: Option[Class[_]] = Option(findLoadedClass(name))
        if (name.startsWith("latebloom.")) loaded.getOrElse(findClass(name))
        else super.loadClass(name, resolve)
      }
  }
}
