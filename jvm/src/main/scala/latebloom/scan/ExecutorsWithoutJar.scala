// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import scala.collection.mutable

import org.slf4j.LoggerFactory

import org.apache.spark.scheduler.{
  SparkListener,
  SparkListenerStageCompleted,
  SparkListenerStageSubmitted,
  SparkListenerTaskEnd,
  StageInfo
}
import org.apache.spark.sql.latebloom.OncePerContext
import org.apache.spark.{ExceptionFailure, SparkContext}

import latebloom.line.Build

/** Tells of executors to which LateBloom's jar does not come. Nothing of LateBloom can do so there:
  * tasks fail before, and Spark's error names neither the jar nor the remedy.
  */
private[latebloom] object ExecutorsWithoutJar {
  private val log = LoggerFactory.getLogger("latebloom.ExecutorsWithoutJar")

  /** Settings that bring jars to executors; YARN's own is where Spark moves `spark.jars` to. */
  private val Settings = Seq("spark.jars", "spark.yarn.dist.jars", "spark.executor.extraClassPath")

  private val attached = new OncePerContext

  /** Looks at the tasks of a context from now on, if none of its settings sends the jar; once. */
  def attach(context: SparkContext): Unit = if (!context.isLocal) {
    attached(context) {
      Build.jar.filterNot(isSent(_, context)).foreach { jar =>
        context.addSparkListener(new FailedTasks(jar, context))
      }
    }
  }

  private def isSent(jar: String, context: SparkContext): Boolean = {
    val name = jar.split('/').last
    (context.listJars() ++ Settings.flatMap(context.getConf.getOption(_))).exists(_.contains(name))
  }

  /** Whether a class of LateBloom is missing where a task ran. Java goes on to read the rest of the
    * task, and most often fails at a collection of Scala's that had an object of the class,
    * whoever's that was.
    *
    * @param ofScan
    *   whether the task is of a stage that has a LateScan
    */
  private[scan] def isCauseOf(failure: ExceptionFailure, ofScan: Boolean): Boolean =
    failure.className match {
      case "java.lang.ClassNotFoundException" => failure.description.contains("latebloom.")
      case "java.lang.ClassCastException"     =>
        ofScan && failure.description.contains("SerializationProxy to field org.apache.spark.")
      case _ => false
    }

  private[scan] def hasScan(stage: StageInfo): Boolean =
    stage.rddInfos.exists(_.scope.exists(_.name.startsWith(LateScan.Name)))

  /** A task that fails so a second time ends its query, with the remedy as the error. Once may be
    * an executor that is just shut down.
    */
  final private class FailedTasks(jar: String, context: SparkContext) extends SparkListener {
    private val told = mutable.HashSet.empty[String]
    private val withScan = mutable.HashSet.empty[Int]

    override def onStageSubmitted(submitted: SparkListenerStageSubmitted): Unit =
      if (hasScan(submitted.stageInfo)) withScan += submitted.stageInfo.stageId

    override def onStageCompleted(completed: SparkListenerStageCompleted): Unit =
      withScan -= completed.stageInfo.stageId

    override def onTaskEnd(end: SparkListenerTaskEnd): Unit = end.reason match {
      case failure: ExceptionFailure if isCauseOf(failure, withScan(end.stageId)) =>
        val why = s"executor ${end.taskInfo.executorId} on ${end.taskInfo.host} cannot load a " +
          s"class of its task, and no setting sends it LateBloom's jar, $jar: pass that with " +
          "--jars (spark.jars), or put it on the class path of executors, too " +
          "(spark.executor.extraClassPath). Spark's error is " +
          s"${failure.className}: ${failure.description}"
        if (told.add(end.taskInfo.executorId)) log.error(why)
        if (end.taskInfo.attemptNumber > 0) context.cancelStage(end.stageId, why)
      case _ =>
    }
  }
}
