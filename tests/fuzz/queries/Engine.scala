// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

import java.lang.management.ManagementFactory
import java.nio.file.Path
import java.util.concurrent._

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, SparkSession}

import latebloom.LateBloomExtensions
import latebloom.inspect.PlanNodes
import latebloom.scan.LateScan
import latebloom.testkit.ShortQueries

/** Spark in this process, with LateBloom attached. */
final class Engine(warehouse: Path, cores: Int, broadcastThreads: Int) {
  val spark: SparkSession = SparkSession.builder()
    .config(ShortQueries.confs.toMap)
    .master(s"local[$cores]")
    .config("spark.sql.extensions", classOf[LateBloomExtensions].getName)
    .config("spark.sql.warehouse.dir", warehouse.toUri.toString)
    .config(s"spark.sql.catalog.${FileCatalog.name}", classOf[FileCatalog].getName)
    .config(s"spark.sql.catalog.${FileCatalog.name}.warehouse", warehouse.toUri.toString)
    .config("spark.sql.broadcastExchange.maxThreadThreshold", broadcastThreads)
    // A scan below a broadcast waits a quarter of it for keys: less than --timeout.
    .config("spark.sql.broadcastTimeout", "60")
    .config("spark.ui.enabled", false)
    .config("spark.sql.codegen.cache.maxEntries", 2000)
    .config("spark.ui.retainedJobs", 20)
    .config("spark.ui.retainedStages", 20)
    .config("spark.ui.retainedTasks", 100)
    .config("spark.sql.ui.retainedExecutions", 5)
    .config("spark.ui.dagGraph.retainedRootRDDs", 5)
    .config("spark.driver.host", "localhost")
    .config("spark.task.maxFailures", 1)
    .config("spark.ui.liveUpdate.period", -1)
    .config("spark.hadoop.fs.file.impl", classOf[PlainFiles].getName)
    // Each execution writes its plan as text.
    .config("spark.sql.maxPlanStringLength", 100)
    .config("spark.sql.debug.maxToStringFields", 3)
    .getOrCreate()
  // Otherwise every scan broadcasts a thousand default settings.
  private val hadoop = spark.sparkContext.hadoopConfiguration
  hadoop.clear()
  hadoop.set("fs.file.impl", classOf[PlainFiles].getName)
  // Many queries fail on purpose.
  spark.sparkContext.setLogLevel("OFF")

  def create(tables: Seq[Table]): Unit = {
    val session = spark.newSession()
    session.conf.set("spark.latebloom.enabled", "false")
    session.conf.set("spark.sql.codegen.wholeStage", "false")
    session.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    // The default from Spark 4 on; 3.5's refuses old days in INT96.
    session.conf.set("spark.sql.parquet.int96RebaseModeInWrite", "CORRECTED")
    tables.foreach(t => t.ddl.foreach(session.sql(_)))
  }

  def drop(tables: Seq[Table]): Unit =
    tables.flatMap(_.dropped).foreach(spark.sql(_))

  def stop(): Unit = spark.stop()

  /** Interrupts the threads that a hanging query left waiting. */
  private[queries] def interruptPools(): Unit =
    Thread.getAllStackTraces.keySet.asScala
      .filter(t => Engine.pools.exists(t.getName.startsWith))
      .foreach(_.interrupt())
}

object Engine {
  private val pools = Seq(
    "broadcast-exchange",
    "subquery",
    "latebloom",
    "dynamicpruning",
    "QueryStageCreator",
    "shuffle-exchange",
    "LateBloom"
  )

  /** A dump of the waiting threads, with their names. */
  def dump(): String = Thread.getAllStackTraces.asScala.toSeq
    .filter { case (t, frames) =>
      (pools :+ "fuzz-query").exists(t.getName.startsWith) && frames.length > 12
    }
    .map { case (t, frames) =>
      val shown = frames.filterNot(f =>
        f.getClassName.startsWith("java.") ||
          f.getClassName.startsWith("scala.")
      ).take(24)
      s"\"${t.getName}\" ${t.getState}\n" + shown.map("    at " + _).mkString("\n")
    }
    .mkString("\n")
}

/** Runs queries one after another, each within the timeout. */
final class Runner(engine: Engine, name: String, seconds: Int) {
  private val tag = s"fuzz-$name"
  private var threads = newThreads()
  // Sessions are reused: creating one takes longer than most queries.
  private val sessions = IndexedSeq.fill(Runner.together) {
    val session = engine.spark.newSession()
    session.udf.register("flaky", Flaky.function(name))
    session
  }

  private def newThreads() = Executors.newCachedThreadPool { (r: Runnable) =>
    val t = new Thread(r, s"fuzz-query-$name")
    t.setDaemon(true)
    t
  }

  /** Spark's own answer and the verdict; None if LateBloom leaves the query to Spark. */
  def verdict(c: Case): Option[(Answer, Verdict)] = {
    val planned = within(Planned(c, 0, enabled = true).planned())
    planned match {
      case Right(on) if on.late == 0 => None
      case _                         =>
        val off = spark(c)
        def judge(on: Answer) = Judge.verdict(off, on, c.ordered)
        off match {
          case f: Failed if f.inAnalysis => Some(off -> Same(f))
          case _                         =>
            val verdicts = planned match {
              case Left(failed) => Seq(judge(failed))
              case Right(on)    => answers(on).map(judge)
            }
            Some(off -> verdicts.find(_.isInstanceOf[Differs]).getOrElse(verdicts.head))
        }
    }
  }

  /** Spark's own answer with the settings that keep zeros apart. */
  def plainly(c: Case): Answer = spark(c.copy(confs = c.confs ++ Confs.plainly))

  /** Whether one of ten runs without LateBloom loses the same race. */
  def losesRace(c: Case): Boolean = Iterator.fill(10)(spark(c)).exists {
    case f: Failed => Failed.isOfUnfinishedSubquery(f)
    case _         => false
  }

  private def spark(c: Case): Answer =
    flattened(within(run(Planned(c, 0, enabled = false).planned())))

  private def answers(on: Planned): Seq[Answer] = on.c.manner match {
    case Manner.Together =>
      val works = sessions.indices.map { i =>
        submit(run(if (i == 0) on else on.copy(session = i).planned()))
      }
      works.map(w => flattened(waited(w)))
    case _ => Seq(flattened(within(run(on))))
  }

  private def flattened(result: Either[Answer, Answer]): Answer = result.merge

  private def within[A](work: => A): Either[Answer, A] = waited(submit(work))

  private def submit[A](work: => A): Future[A] = threads.submit { () =>
    engine.spark.sparkContext.setJobGroup(tag, tag, interruptOnCancel = true)
    work
  }

  private def waited[A](work: Future[A]): Either[Answer, A] =
    try Right(work.get(seconds, TimeUnit.SECONDS))
    catch {
      case e: ExecutionException    => Left(Failed.of(e.getCause))
      case e: CancellationException => Left(Failed.of(e))
      case _: TimeoutException      =>
        val dump = Engine.dump()
        engine.spark.sparkContext.cancelJobGroup(tag)
        work.cancel(true)
        engine.interruptPools()
        threads.shutdownNow()
        threads = newThreads()
        Left(Hung(dump))
    }

  /** A query, with its plan once `frame` is set. */
  private case class Planned(
      c: Case,
      session: Int,
      enabled: Boolean,
      frame: DataFrame = null,
      millis: Long = 0
  ) {
    def planned(): Planned = {
      val spark = sessions(session)
      // Settings travel with every scan: set only those that differ from the defaults.
      (Confs.always ++ c.confs.toSeq :+ ("spark.latebloom.enabled" -> enabled.toString)).foreach {
        case (k, v) =>
          spark.conf.unset(k)
          if (!spark.conf.getOption(k).contains(v)) spark.conf.set(k, v)
      }
      // CPU time of this thread: other processes must not count as slow planning.
      val start = Runner.worked()
      val df = spark.sql(c.sql)
      df.queryExecution.executedPlan
      copy(frame = df, millis = (Runner.worked() - start) / 1000000)
    }

    def scans: Seq[LateScan] =
      PlanNodes.all(frame.queryExecution.executedPlan).collect { case s: LateScan => s }

    def late: Int = scans.size
  }

  private def run(query: Planned): Answer = {
    // Some settings are read at run time.
    query.frame.sparkSession.conf.set("spark.latebloom.enabled", query.enabled.toString)
    if (query.c.manner == Manner.Twice) {
      Flaky.arm(name)
      val first = collected(query)
      Flaky.disarm(name)
      // A DataFrame that did not fail is run again as well.
      if (first.isInstanceOf[Hung]) first else collected(query)
    } else collected(query)
  }

  private def collected(query: Planned): Answer =
    try {
      val df = query.frame
      val rows = df.collect().iterator.map(r => Rows.of(r, df.schema)).toIndexedSeq
      val scans = if (query.enabled) query.scans else Nil
      Rows(
        df.schema,
        rows,
        query.millis,
        scans.size,
        scans.flatMap(_.joinFilters).map(_.from.means.name)
      )
    } catch {
      case e: VirtualMachineError if !e.isInstanceOf[StackOverflowError] => throw e
      case e: Throwable => Failed.of(e).copy(planMillis = query.millis)
    }

  def close(): Unit = threads.shutdownNow()
}

object Runner {

  /** The number of copies that a case runs at once. */
  val together = 4

  private val clocks = ManagementFactory.getThreadMXBean

  private def worked(): Long = clocks.getCurrentThreadCpuTime
}

/** A function that fails the first time that it is called after it was armed. */
object Flaky {
  private val armed = ConcurrentHashMap.newKeySet[String]()

  def arm(name: String): Unit = armed.add(name)
  def disarm(name: String): Unit = armed.remove(name)

  def function(name: String): Integer => Integer = { n =>
    if (armed.remove(name)) throw new IllegalStateException("not this time")
    n
  }
}
