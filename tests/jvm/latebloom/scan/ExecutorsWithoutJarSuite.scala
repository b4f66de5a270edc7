// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.scalatest.concurrent.Eventually
import org.scalatest.time.{Seconds, Span}

import org.apache.spark.ExceptionFailure
import org.apache.spark.scheduler.{SparkListener, SparkListenerStageSubmitted}

import latebloom.LateBloomTest

class ExecutorsWithoutJarSuite extends LateBloomTest with Eventually {

  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(30, Seconds))

  private def isCauseOf(error: Exception, ofScan: Boolean = true) = ExecutorsWithoutJar.isCauseOf(
    ExceptionFailure(error.getClass.getName, error.getMessage, Array.empty, "", None),
    ofScan
  )

  test("a class of LateBloom that is not found means that an executor has no jar") {
    assert(isCauseOf(new ClassNotFoundException(classOf[ReadFile].getName)))
  }

  test("so does what Java makes of it in a task") {
    Seq(
      "scala.collection.generic.DefaultSerializationProxy to field " +
        "org.apache.spark.rdd.RDD.dependencies_",
      "scala.collection.immutable.List$SerializationProxy to field " +
        "org.apache.spark.rdd.RDD.org$apache$spark$rdd$RDD$$dependencies_"
    ).foreach { what =>
      val error = new ClassCastException(s"cannot assign instance of $what of type Seq")
      assert(isCauseOf(error))
      assert(!isCauseOf(error, ofScan = false), "where no task has a class of LateBloom")
    }
  }

  test("a stage with a LateScan is known by it, above a shuffle and below other nodes") {
    withTable("t") {
      spark.range(1000).selectExpr("id", "id % 10 k").write.saveAsTable("t")
      val stages = new ConcurrentLinkedQueue[Boolean]
      val listener = new SparkListener {
        override def onStageSubmitted(submitted: SparkListenerStageSubmitted): Unit =
          stages.add(ExecutorsWithoutJar.hasScan(submitted.stageInfo))
      }
      spark.sparkContext.addSparkListener(listener)
      try {
        Seq("k = 3" -> Seq(true, false), "true" -> Seq(false, false)).foreach {
          case (where, expected) =>
            stages.clear()
            spark.table("t").where(where).groupBy("k").count().collect()
            eventually(assert(stages.asScala.toSeq == expected, where))
        }
      } finally spark.sparkContext.removeSparkListener(listener)
    }
  }

  test("a class of somebody else, and another error, does not") {
    assert(!isCauseOf(new ClassNotFoundException("com.example.Reader")))
    assert(!isCauseOf(new ClassCastException("class java.lang.Long cannot be cast")))
    assert(!isCauseOf(new IllegalStateException("latebloom.scan.ReadFile")))
  }
}
