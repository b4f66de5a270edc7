// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

import java.nio.file.Path
import java.util.concurrent._

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.SparkPlan

import latebloom.LateBloomExtensions
import latebloom.inspect.PlanNodes
import latebloom.scan.LateScan

/** Spark in this process, with LateBloom attached. */
final class Engine(warehouse: Path, cores: Int, broadcastThreads: Int) {
  val spark: SparkSession = SparkSession.builder()
    .master(s"local[$cores]")
    .config("spark.sql.extensions", classOf[LateBloomExtensions].getName)
    .config("spark.sql.warehouse.dir", warehouse.toUri.toString)
    .config("spark.sql.broadcastExchange.maxThreadThreshold", broadcastThreads)
    .config("spark.sql.broadcastTimeout", "600")
    .config("spark.ui.enabled", false)
    .config("spark.ui.retainedJobs", 20)
    .config("spark.ui.retainedStages", 20)
    .config("spark.ui.retainedTasks", 100)
    .config("spark.sql.ui.retainedExecutions", 5)
    .config("spark.sql.ui.explainMode", "simple")
    .config("spark.ui.dagGraph.retainedRootRDDs", 5)
    .config("spark.driver.host", "localhost")
    .config("spark.task.maxFailures", 1)
    .getOrCreate()
  // Many queries fail on purpose.
  spark.sparkContext.setLogLevel("OFF")

  /** How often threads of Spark's pools were interrupted, which may fail any query. */
  @volatile var disturbances = 0

  def create(tables: Seq[Table]): Unit = {
    val session = spark.newSession()
    session.conf.set("spark.latebloom.enabled", "false")
    tables.foreach(t => t.ddl.foreach(session.sql(_)))
  }

  def drop(tables: Seq[Table]): Unit =
    tables.foreach(t => spark.sql(s"drop table if exists ${t.name}"))

  def stop(): Unit = spark.stop()

  /** Frees the threads that a query which hangs has left waiting. */
  private[queries] def interruptPools(): Unit = {
    disturbances += 1
    Thread.getAllStackTraces.keySet.asScala
      .filter(t => Engine.pools.exists(t.getName.startsWith))
      .foreach(_.interrupt())
  }
}

object Engine {
  private val pools = Seq("broadcast-exchange", "subquery", "latebloom", "dynamicpruning",
    "QueryStageCreator", "shuffle-exchange", "LateBloom")

  /** What waits, by the names of its threads. */
  def dump(): String = Thread.getAllStackTraces.asScala.toSeq
    .filter { case (t, frames) =>
      (pools :+ "fuzz-query").exists(t.getName.startsWith) && frames.length > 12
    }
    .map { case (t, frames) =>
      val shown = frames.filterNot(f => f.getClassName.startsWith("java.") ||
        f.getClassName.startsWith("scala.")).take(24)
      s"\"${t.getName}\" ${t.getState}\n" + shown.map("    at " + _).mkString("\n")
    }
    .mkString("\n")
}

/** Runs queries one after another, each for no longer than it may take. */
final class Runner(engine: Engine, name: String, seconds: Int) {
  private var thread = newThread()

  private def newThread() = Executors.newSingleThreadExecutor { (r: Runnable) =>
    val t = new Thread(r, s"fuzz-query-$name")
    t.setDaemon(true)
    t
  }

  def answer(sql: String, confs: Map[String, String], enabled: Boolean): Answer = {
    val tag = s"fuzz-$name"
    val work = thread.submit { () =>
      engine.spark.sparkContext.setJobGroup(tag, tag, interruptOnCancel = true)
      run(sql, confs, enabled)
    }
    try work.get(seconds, TimeUnit.SECONDS)
    catch {
      case e: ExecutionException => Failed.of(e.getCause)
      case _: TimeoutException   =>
        val dump = Engine.dump()
        engine.spark.sparkContext.cancelJobGroup(tag)
        work.cancel(true)
        engine.interruptPools()
        thread.shutdownNow()
        thread = newThread()
        Hung(dump)
    }
  }

  private def run(sql: String, confs: Map[String, String], enabled: Boolean): Answer = {
    val session = engine.spark.newSession()
    (Confs.always ++ confs.toSeq :+ ("spark.latebloom.enabled" -> enabled.toString))
      .foreach { case (k, v) => session.conf.set(k, v) }
    val start = System.nanoTime()
    var planned = 0L
    try {
      val df = session.sql(sql)
      df.queryExecution.executedPlan
      planned = (System.nanoTime() - start) / 1000000
      val rows = df.collect().iterator.map(Rows.text).toIndexedSeq
      val (late, means) = if (enabled) facts(df.queryExecution.executedPlan) else (0, Nil)
      Rows(df.schema, rows, planned, late, means)
    } catch {
      case e: VirtualMachineError if !e.isInstanceOf[StackOverflowError] => throw e
      case e: Throwable                                                  =>
        Failed.of(e).copy(planMillis = planned)
    }
  }

  private def facts(plan: SparkPlan): (Int, Seq[String]) = {
    val scans = PlanNodes.all(plan).collect { case s: LateScan => s }
    (scans.size, scans.flatMap(_.joinFilters).map(_.from.means.name))
  }

  def close(): Unit = thread.shutdownNow()
}
