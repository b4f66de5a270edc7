// SPDX-License-Identifier: Apache-2.0
package latebloom

import java.net.{URL, URLClassLoader}

import scala.collection.mutable

import org.apache.logging.log4j.Level

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.{SPARK_VERSION, SparkFunSuite}

class LateBloomExtensionsSuite extends SparkFunSuite {

  /** Records the calls of an extension by name. */
  private class Asked extends SparkSessionExtensions {
    val calls = mutable.Buffer.empty[String]
    override def injectPlannerStrategy(builder: StrategyBuilder): Unit = calls += "strategy"
    override def injectOptimizerRule(builder: RuleBuilder): Unit = calls += "optimizer"
    override def injectQueryStagePrepRule(builder: QueryStagePrepRuleBuilder): Unit =
      calls += "stage"
    override def injectColumnar(builder: ColumnarRuleBuilder): Unit = calls += "columnar"
  }

  private val others = Seq("3.5.7", "4.0.1", "4.10.0", "4.2.0", "4.3.0-SNAPSHOT", "5.0.0", "4", "")

  test("the Spark that this is compiled against gets rules and a strategy, as its patches do") {
    for (spark <- Seq(SPARK_VERSION, "4.1.0", "4.1.99", "4.1.4-SNAPSHOT", "4.1")) {
      val asked = new Asked
      new LateBloomExtensions(spark)(asked)
      assert(asked.calls.sorted == Seq("columnar", "optimizer", "stage", "strategy"), spark)
    }
    val asked = new Asked
    new LateBloomExtensions()(asked)
    assert(asked.calls.nonEmpty)
  }

  test("another line of Spark gets nothing, and one sentence in the log, however often it asks") {
    val log = new LogAppender("refusals")
    withLogAppender(log, level = Some(Level.WARN)) {
      for (spark <- others) {
        val asked = new Asked
        new LateBloomExtensions(spark)(asked)
        assert(asked.calls.isEmpty, spark)
      }
    }
    val said =
      log.loggingEvents.map(_.getMessage.getFormattedMessage).filter(_.contains("LateBloom"))
    assert(said.toSeq == Seq(SparkLine.refusal(others.head)))
    assert(said.head.contains("needs Spark 4.1 and this is 3.5.7"))
  }

  test("on another line no class is loaded that Spark or Scala might not have there") {
    val loader = new Recording
    val extensions = loader
      .loadClass("latebloom.LateBloomExtensions")
      .getConstructor(classOf[String])
      .newInstance("3.5.7")
      .asInstanceOf[SparkSessionExtensions => Unit]
    extensions(new SparkSessionExtensions)
    val ours = loader.asked.filter(_.startsWith("latebloom."))
    assert(ours.toSet == Set("latebloom.LateBloomExtensions", "latebloom.SparkLine$"))
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
