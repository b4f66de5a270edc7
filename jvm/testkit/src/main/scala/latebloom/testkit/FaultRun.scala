// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit

import java.io.{File, IOException}
import java.nio.file.{Files, Path}
import java.util.concurrent.{Executors, TimeoutException}

import scala.collection.mutable
import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.util.{Failure, Random, Success, Try}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.functions.udf
import org.apache.spark.sql.{DataFrame, SparkSession}

/** Runs queries over a store that fails, stalls and truncates, some of them cancelled, some with a
  * creation side that fails or is slow. Each must end, with Spark's answer over a sound store or
  * with an error that names the fault, and leave nothing behind.
  */
final class FaultRun(spark: SparkSession, folder: Path) {
  import FaultRun._

  private val found = mutable.Buffer.empty[String]
  private val ends = mutable.Map.empty[String, Int].withDefaultValue(0)
  private val threads = Executors.newCachedThreadPool { task: Runnable =>
    val thread = new Thread(task, "fault-run")
    thread.setDaemon(true)
    thread
  }
  implicit private val context: ExecutionContext = ExecutionContext.fromExecutor(threads)

  /** The number of queries by outcome. */
  def outcomes: Map[String, Int] = ends.toMap

  private def path(format: String, name: String) = s"faulty:${folder.resolve(s"$format-$name")}"

  /** Writes the tables, each of several files with several row groups or stripes. */
  def write(): Unit = {
    spark.conf.set("spark.latebloom.join.minScanBytes", "0")
    spark.udf.register(
      "refuse",
      udf((k: Long) => if (k == 63) sys.error("no 63, on purpose") else k)
    )
    for ((name, millis) <- Seq("slow" -> 5L, "minute" -> 600L)) {
      spark.udf.register(
        name,
        udf { (k: Long) =>
          Thread.sleep(millis)
          k
        }
      )
    }
    for (format <- Formats) {
      def save(df: DataFrame, name: String): Unit = df.write
        .options(RowGroups.of(1000))
        .option("parquet.page.row.count.limit", "200")
        .option("orc.stripe.row.count", "1000")
        .format(format).save(s"file:${folder.resolve(s"$format-$name")}")
      save(
        spark.range(0, 12000, 1, 3)
          .selectExpr("id", "id * 7 % 1000 k", "concat('text ', id * 7919 % 12007) s"),
        "fact"
      )
      save(spark.range(0, 1000, 1, 1).selectExpr("id k", "id % 10 few", "id same"), "dim")
      for (name <- Seq("fact", "dim")) {
        spark.read.format(format).load(path(format, name))
          .createOrReplaceTempView(s"${format}_$name")
      }
    }
  }

  private def planned(enabled: Boolean, broadcast: Boolean, adaptive: Boolean, sql: String) = {
    spark.conf.set("spark.latebloom.enabled", enabled.toString)
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", if (broadcast) "10m" else "-1")
    spark.conf.set("spark.sql.adaptive.enabled", adaptive.toString)
    val df = spark.sql(sql)
    val scans = df.queryExecution.executedPlan.toString.contains("LateScan")
    require(scans == enabled, s"LateScan: $scans in\n${df.queryExecution.executedPlan}")
    df
  }

  private val answers = mutable.Map.empty[String, Seq[String]]

  private def rows(df: DataFrame): Seq[String] = df.collect().map(_.toString).toSeq.sorted

  /** Runs so many queries.
    *
    * @return
    *   the violations found
    */
  def run(queries: Int, seed: Long, tell: String => Unit): Seq[String] = {
    found.clear()
    val random = new Random(seed)
    val warm = queries / 4
    var before: Option[Levels] = None
    for (i <- 0 until queries) {
      one(i, random)
      if (i == warm) {
        before = Some(Levels.now())
        tell(s"after ${i + 1} queries: ${before.get}")
      }
    }
    val after = Levels.now()
    tell(s"after $queries queries: $after")
    found ++= after.above(before.get)
    found.toSeq
  }

  private def one(number: Int, random: Random): Unit = {
    def pick[A](choices: Seq[A]): A = choices(random.nextInt(choices.size))
    val format = pick(Formats)
    val slow = number % MinuteEvery == MinuteEvery - 1
    val query = if (slow) MinuteQuery else pick(Queries)
    val sql = query.replace("fact", s"${format}_fact").replace("dim", s"${format}_dim")
    val (broadcast, adaptive) = (random.nextBoolean(), random.nextBoolean())
    val fault = pick(FaultyFileSystem.Fault.values.toSeq)
    val every = 3 + random.nextInt(60)
    // From a millisecond on, scans fetch row groups ahead.
    val latency = pick(Seq(0, 3))
    val cancelled = fault == FaultyFileSystem.Fault.HANG || !slow && random.nextInt(4) == 0
    val interrupt = fault == FaultyFileSystem.Fault.HANG || random.nextBoolean()
    val patience = random.nextInt(400)
    val what = s"query $number, $fault at every $every, $latency ms, cancelled $cancelled " +
      s"(interrupt $interrupt after $patience ms), broadcast $broadcast, adaptive $adaptive: $sql"

    val expected = answers.getOrElseUpdate(
      sql,
      Try(rows(planned(
        enabled = false,
        broadcast = true,
        adaptive = true,
        sql
      ))).getOrElse(NoAnswer)
    )
    val df = planned(enabled = true, broadcast, adaptive, sql)
    val group = s"query-$number"
    FaultyFileSystem.set(fault, every, latency)
    val outcome = Future {
      spark.sparkContext.setJobGroup(group, what, interrupt)
      try Try(rows(df))
      finally spark.sparkContext.clearJobGroup()
    }
    if (cancelled) {
      Thread.sleep(patience)
      cancel(group, outcome)
    }
    val end = Try(Await.result(outcome, (if (slow) MostSeconds * 4 else MostSeconds).seconds))
    FaultyFileSystem.repair()
    ends(s"$fault: ${judge(what, expected, cancelled, end)}") += 1
  }

  /** Repeatedly, since a query may have no job yet, or none at the moment. */
  private def cancel(group: String, outcome: Future[_]): Unit = {
    val end = MostSeconds.seconds.fromNow
    while (!outcome.isCompleted && end.hasTimeLeft()) {
      spark.sparkContext.cancelJobGroup(group)
      Thread.sleep(20)
    }
  }

  private def judge(
      what: String,
      expected: Seq[String],
      cancelled: Boolean,
      end: Try[Try[Seq[String]]]
  ): String = end match {
    case Failure(_: TimeoutException) =>
      found += s"did not end: $what\n${stacks()}"
      "did not end"
    case Failure(e)               => throw e
    case Success(Success(answer)) =>
      if (answer != expected) {
        found += s"${answer.size} rows, ${expected.size} of Spark's: $what"
      }
      "answered"
    case Success(Failure(e)) =>
      val causes = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).take(20).toSeq
      val said = causes.map(c => s"$c").mkString("\n  by ")
      val ours = causes.exists(_.isInstanceOf[IOException]) || said.contains("on purpose") ||
        said.contains("Encountered error while reading file") || cancelled && said.contains(
          "cancel"
        )
      if (!ours || !causes.exists(_.isInstanceOf[SparkThrowable]) || causes.exists(isBare)) {
        found += s"an error of another kind: $what\n  $said"
      }
      if (said.contains("cancel")) "cancelled" else "failed"
  }
}

object FaultRun {
  private val Formats = Seq("parquet", "orc")

  /** Spark tries a task four times, and each attempt may stall at many requests. */
  private val MostSeconds = 120

  private val NoAnswer = Seq("an error")

  // Spark calls a function of a key on the rows of both sides: hence `same`.
  private val Queries = Seq(
    "select id, s from fact where k < 300 and s like '%7%'",
    "select count(*), sum(id) from fact where k = 7 or s like '%77%'",
    "select f.id, f.s from fact f join dim d on f.k = d.k where d.few = 3 and d.k < 200",
    "select f.id from fact f join dim d on f.k = d.k where d.few = 3 and slow(d.same) < 1000",
    "select f.id from fact f join dim d on f.k = d.k where d.few = 3 and refuse(d.k) > 0",
    "select s, count(*) from fact where k < 500 group by s order by s",
    "select id from fact where k in (select k from dim where few = 7)"
  )

  /** The keys come from a hundred rows. */
  private val MinuteQuery =
    "select f.id from fact f join dim d on f.k = d.k where d.few = 3 and minute(d.same) < 900"

  private val MinuteEvery = 200

  private def isBare(e: Throwable): Boolean = e match {
    case _: IndexOutOfBoundsException | _: NullPointerException | _: ClassCastException |
        _: NegativeArraySizeException | _: OutOfMemoryError | _: StackOverflowError |
        _: LinkageError =>
      true
    case _ => false
  }

  /** The stacks of all threads. */
  private def stacks(): String = {
    val all = new StringBuilder
    Thread.getAllStackTraces.forEach { (thread, stack) =>
      if (stack.exists(_.getClassName.startsWith("latebloom"))) {
        all ++= s"  ${thread.getName}\n"
        stack.foreach(at => all ++= s"    $at\n")
      }
    }
    all.toString
  }

  /** A session over the faulty store, in which a task is tried four times.
    *
    * @param memory
    *   limit of Spark's memory manager for all tasks, in MiB; None for no limit
    */
  def session(folder: File, memory: Option[Long] = None): SparkSession = memory
    .foldLeft(SparkSession.builder()) { (builder, mib) =>
      // Spark manages six tenths of the configured memory.
      builder.config("spark.testing.memory", (mib << 20) * 10 / 6)
        .config("spark.testing.reservedMemory", "0")
    }
    .master("local[2,4]")
    .config("spark.sql.extensions", "latebloom.LateBloomExtensions")
    .config("spark.hadoop.fs.faulty.impl", classOf[FaultyFileSystem].getName)
    .config("spark.hadoop.fs.faulty.impl.disable.cache", "true")
    .config("spark.local.dir", Files.createDirectories(folder.toPath.resolve("local")).toString)
    .config("spark.sql.warehouse.dir", folder.toPath.resolve("warehouse").toString)
    .config("spark.ui.enabled", "false")
    .config("spark.ui.retainedJobs", "10")
    .config("spark.ui.retainedStages", "10")
    .config("spark.ui.retainedTasks", "100")
    .config("spark.sql.ui.retainedExecutions", "10")
    .config("spark.sql.codegen.cache.maxEntries", "50")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.files.maxPartitionBytes", "40000")
    .getOrCreate()
}
