// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.mutable

/** Runs the cases of a seed in several threads and reports findings. */
final class Hunt(engine: Engine, options: Options) {
  private val start = System.nanoTime()
  private val clock =
    ManagementFactory.getPlatformMXBean(classOf[com.sun.management.OperatingSystemMXBean])
  private val next = new AtomicInteger(options.from)
  private val counts = mutable.TreeMap.empty[String, Int].withDefaultValue(0)
  private val found = mutable.ArrayBuffer.empty[String]
  @volatile private var ended = false

  private def count(what: String, n: Int = 1): Unit = synchronized(counts(what) += n)

  private def seconds = (System.nanoTime() - start) / 1e9

  private def isOver(index: Int) = ended || found.size >= options.stopAfter ||
    options.queries.exists(index >= options.from + _) ||
    options.minutes.orElse(Option.when(options.queries.isEmpty)(1.0)).exists(seconds > 60 * _)

  /** Whether nothing was found. */
  def run(): Boolean = {
    println(s"seed ${options.seed}")
    while (!isOver(next.get)) {
      val world = next.get / Case.ofWorld
      val tables = Tables.of(options.seed, world)
      val before = seconds
      engine.create(tables)
      println(f"${tables.size} tables made in ${seconds - before}%.0f s")
      if (options.show) println(Case.of(options.seed, options.from, tables, options.trees).script)
      val workers = (0 until options.threads).map { t =>
        val worker = new Thread(() => work(tables, (world + 1) * Case.ofWorld, t), s"fuzz-$t")
        worker.start()
        worker
      }
      workers.foreach(_.join())
      next.set(next.get.min((world + 1) * Case.ofWorld))
      engine.drop(tables)
    }
    println(summary)
    options.junit.foreach(report)
    found.isEmpty
  }

  private def work(tables: Seq[Table], end: Int, thread: Int): Unit = {
    val runner = new Runner(engine, thread.toString, options.timeout)
    try {
      var index = next.getAndIncrement()
      while (index < end && !isOver(index)) {
        check(Case.of(options.seed, index, tables, options.trees), index, runner)
        index = next.getAndIncrement()
      }
    } catch {
      case e: Throwable =>
        ended = true
        synchronized(found += e.toString)
        e.printStackTrace()
    } finally runner.close()
  }

  private def check(c: Case, index: Int, runner: Runner): Unit = {
    runner.verdict(c) match {
      case None =>
        count("left to Spark, no query")
      case Some((f: Failed, _)) if f.inAnalysis =>
        count("refused by Spark, no query")
        println(s"--case ${options.seed}:$index is no query: ${f.message.take(200)}")
      case Some((off, verdict)) =>
        count("queries")
        if (synchronized(counts("queries") % 500 == 0)) println(summary)
        judged(c, index, runner, off, verdict)
    }
  }

  private def judged(
      c: Case,
      index: Int,
      runner: Runner,
      off: Answer,
      verdict: Verdict
  ): Unit = {
    verdict match {
      case Same(on)         => ran(off, on)
      case Allowed(why, on) =>
        count(why)
        ran(off, on)
      case Differs(d, on) =>
        ran(off, on)
        // A difference that does not repeat is chance, by Spark or by the machine.
        if (!again(c, runner).exists(_.kind == d.kind)) {
          println(s"--case ${options.seed}:$index, ${d.kind}: not seen again")
          count(s"not seen again: ${d.kind}")
        } else if (isSparks(c, off, on, runner))
          count("wrong without LateBloom, by zeros, old days or filters of its readers")
        else if (isRace(on) && runner.losesRace(c))
          count("fails without LateBloom, too, if a broadcast overtakes a subquery")
        else tell(c, d, index, runner)
    }
  }

  /** Whether Spark is wrong: it takes -0.0 and 0.0 for one another, or pushes a day that
    * `java.sql.Date` lacks down as another, or a filter that its readers fail with hides the
    * failure that both share. It is so only if Spark gives LateBloom's answer when it reads all
    * rows one by one.
    */
  private def isSparks(c: Case, off: Answer, on: Answer, runner: Runner): Boolean = {
    def isOldDay(kind: Kind) =
      Set("date", "timestamp")(kind.family) && c.confs(Confs.javaTime) == "false"
    val mayBe = off match {
      case f: Failed => f.message.contains(classOf[NullPointerException].getName)
      case _         => c.used.exists(_.columns.exists(d => d.kind.isFloat || isOldDay(d.kind)))
    }
    mayBe && !on.isInstanceOf[Hung] &&
    Judge.verdict(runner.plainly(c), on, c.ordered).isInstanceOf[Same]
  }

  private def isRace(on: Answer) = on match {
    case f: Failed => Failed.isOfUnfinishedSubquery(f)
    case _         => false
  }

  private def ran(off: Answer, on: Answer): Unit = {
    (off, on) match {
      case (f: Failed, _: Failed) =>
        count("failed off and on")
        if (!Failed.isOfRows(f)) count(s"  ${f.condition}")
      case _ =>
    }
    on match {
      case r: Rows =>
        if (r.late > 0) count("with a LateScan")
        if (r.means.nonEmpty) count("with a join filter")
        r.means.foreach(m => count(s"join filters ($m)"))
        if (r.rows.nonEmpty) count("with rows")
      case _ =>
    }
  }

  private def again(c: Case, runner: Runner): Option[Difference] = {
    runner.verdict(c) match {
      case Some((_, Differs(d, _))) => Some(d)
      case _                        => None
    }
  }

  private def tell(c: Case, d: Difference, index: Int, runner: Runner): Unit = {
    val rank = synchronized {
      found += s"${options.seed}:$index ${d.kind}"
      found.size
    }
    val (small, last) =
      if (rank > options.shrink || d.kind == "hang" || d.kind == "slow planning") (c, d)
      else new Shrinker(engine, runner, d.kind).shrunk(c, d)
    synchronized {
      println(
        s"\n== finding $rank: --case ${options.seed}:$index after ${counts("queries")} queries, ${d.kind}"
      )
      println(last.text)
      if (rank <= options.shrink) println(small.script)
      println()
      System.out.flush()
    }
  }

  private def summary: String = synchronized {
    val queries = counts("queries")
    val rate = queries / seconds
    // CPU time, since other processes may share the machine.
    val work = clock.getProcessCpuTime / 1e6 / queries.max(1)
    counts.map { case (k, n) => f"  $n%7d $k" }
      .mkString(
        f"seed ${options.seed}: ${found.size} findings, $rate%.1f queries a second, $work%.0f ms of a core each\n",
        "\n",
        ""
      )
  }

  private def report(file: String): Unit = {
    val failure = if (found.isEmpty) "" else s"<failure>${found.mkString(", ")}</failure>"
    val name = s"random queries answer alike off and on, seed ${options.seed}"
    Files.writeString(
      Path.of(file),
      s"""<testsuite><testcase classname="fuzz.queries" name="$name">$failure</testcase></testsuite>"""
    )
  }
}
