// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import java.lang.management.ManagementFactory

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.latebloom.LateBloomConf

/** Runs the cases in a separate JVM, which they may crash. */
final class Worker(options: Options) {
  private val session = SparkSession.builder()
    .master("local[1]")
    .appName("fuzz")
    .config("spark.hadoop.fs.fuzz.impl", classOf[MemoryFiles].getName)
    .config("spark.sql.ansi.enabled", "false")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.cleaner.periodicGC.interval", "1min")
    .getOrCreate()
  session.sparkContext.setLogLevel("OFF")
  LateBloomConf.describe(session.sessionState.conf)

  private val files = Seeds.of(session, options.files).filter(_.name.contains(options.only))
  private val all = new FileCases(options.seed, files)
  private val tally = Tally.in(options.state.resolve("tally"))
  private val reports = new Reports(options.found, options.seed)

  private val watch =
    new Watch(
      options.state.resolve("running"),
      Thread.currentThread,
      (id, phase, dump) => stuck(id, phase, dump)
    )

  def run(): Unit = {
    watch.start()
    println(s"seed ${options.seed}, ${files.size} good files")
    if (options.one.isEmpty) many() else options.one.foreach(one)
    session.stop()
  }

  private def many(): Unit = {
    val end = options.first + options.cases.min(Long.MaxValue - options.first)
    val started = System.nanoTime()
    val thread = ManagementFactory.getThreadMXBean
    val before = tally.cases
    var said = started
    tally.next = tally.next.max(options.first)
    while (
      tally.next < end && tally.forbidden < options.stopAfter &&
      System.currentTimeMillis() < options.deadline
    ) {
      val block = tally.next / FileCases.Block
      runBlock(block, tally.next until ((block + 1) * FileCases.Block).min(end))
      if (System.nanoTime() - said > 60000000000L) {
        said = System.nanoTime()
        val done = tally.cases - before
        val minutes = (said - started) / 6e10
        val busy = thread.getCurrentThreadCpuTime / 6e10
        println(
          f"case ${tally.next}, ${done / minutes}%.0f a minute, ${done / busy}%.0f a minute of " +
            s"the processor: ${tally.line}"
        )
      }
    }
  }

  private def runBlock(block: Long, ids: Seq[Long]): Unit = {
    withScans(block) { (query, comparison) =>
      ids.foreach { id =>
        val c = all(id, query)
        val outcome = judged(c, comparison)
        if (outcome.isForbidden) {
          if (tally.of(outcome.kind, outcome.reason) < options.keep) {
            val least = if (options.crashed(id)) c else shrunk(c, outcome, comparison)
            println(reports.save(least, outcome))
          } else println(s"case $id: ${outcome.kind.name}, ${outcome.reason}")
        }
        tally.add(outcome, c.seed.name)
        tally.next = id + 1
      }
    } {
      ids.foreach(_ => tally.add(Outcome(Outcome.LeftToSpark), all.file(block).name))
      tally.next = ids.last + 1
    }
    tally.save()
  }

  /** Judges a case in the light of its crashes in earlier workers. */
  private def judged(c: FileCase, comparison: Comparison): Outcome =
    if (options.crashed(c.id) && options.fragile(c.id))
      Outcome(Outcome.Excluded, "Spark's reader ends the JVM, beneath ours as well")
    else if (options.crashed(c.id)) comparison.sparksOnly(c)
    else if (options.fragile(c.id)) comparison.oursOnly(c)
    else comparison(c)

  /** Runs `body` with a planned query of the block, or `none` if LateBloom reads no query of it. */
  private def withScans(block: Long)(body: (FileQuery, Comparison) => Unit)(none: => Unit): Unit = {
    def attempt(n: Int): Unit =
      if (n == 8) none
      else {
        val seed = all.file(block)
        val query = all.query(block, n)
        query.confs.foreach { case (k, v) => session.conf.set(k, v) }
        try {
          planned(seed, query) match {
            case Some((sparks, ours)) =>
              val variants = new Comparison.Variants(
                Scans.pruned(session, seed, query),
                Scans.unpruned(session, seed, query),
                Scans.rebatched(session, seed, query),
                Scans.fields(session, seed, query),
                Scans.columns(session, seed, query)
              )
              body(query, new Comparison(watch, options.seconds, ours, sparks, variants))
            case None => attempt(n + 1)
          }
        } finally query.confs.keys.foreach(session.conf.unset)
      }
    attempt(0)
  }

  private def planned(seed: Seed, query: FileQuery): Option[(Scans, Scans)] =
    try Scans.of(session, seed, query)
    catch {
      case NonFatal(e) if e.getClass.getSimpleName.endsWith("AnalysisException") => None
    }

  /** The case with the fewest steps and cuts that still gives the same outcome. */
  private def shrunk(c: FileCase, outcome: Outcome, comparison: Comparison): FileCase = {
    def isSame(other: FileCase) = {
      val o = comparison(other)
      o.kind == outcome.kind && o.reason == outcome.reason
    }
    val whole = Seq(c.copy(cuts = Nil)).find(s => c.cuts.nonEmpty && isSame(s)).getOrElse(c)
    whole.steps.indices.reverse.foldLeft(whole) { (least, i) =>
      val fewer = least.copy(steps = least.steps.patch(i, Nil, 1))
      if (least.steps.size > 1 && isSame(fewer)) fewer else least
    }
  }

  /** Reports one case, after the earlier cases of its block: readers learn from file to file. */
  private def one(id: Long): Unit = {
    val block = id / FileCases.Block
    withScans(block) { (query, comparison) =>
      (block * FileCases.Block until id).foreach(i => comparison(all(i, query)))
      val c = all(id, query)
      println(s"$c\nsaved as ${reports.file(c)}")
      val outcome = judged(c, comparison)
      println(s"${outcome.kind.name}: ${outcome.reason}\n${outcome.detail}")
      if (!options.crashed(id)) comparison.diagnosis(c).foreach(println)
      tally.add(outcome, c.seed.name)
    }(println("LateBloom reads none of the block's queries"))
    tally.save()
  }

  /** Saves the results and ends the JVM, since the stuck thread cannot be recovered. */
  private def stuck(id: Long, phase: Byte, dump: String): Unit = {
    val outcome =
      if (phase == Watch.Ours) Outcome(Outcome.Hang, "for ever", dump)
      else Outcome(Outcome.Excluded, "Spark never ends", dump)
    println(s"case $id: ${outcome.kind.name}, ${outcome.reason}\n$dump")
    tally.add(outcome, all.file(id / FileCases.Block).name)
    tally.next = id + 1
    tally.save()
    Runtime.getRuntime.halt(Worker.Stuck)
  }
}

object Worker {
  val Stuck = 75
}
