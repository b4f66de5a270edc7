// SPDX-License-Identifier: Apache-2.0

package latebloom.suites

import java.nio.file.{Files, Paths}

import org.apache.spark.SPARK_VERSION

/** Runs Spark's suites one after another and compares every test with plain Spark's result
  * (`spark-<line>/baseline-<version>.txt`) and the allowed differences
  * (`spark-<line>/expected-failures.txt`).
  */
object Main {
  private val home = Paths.get(sys.props("latebloom.suites.home"))
  private val known = home.resolve("spark-" + SPARK_VERSION.split('.').take(2).mkString("."))
  private val allowedFile = known.resolve("expected-failures.txt")
  private val baselineFile = known.resolve(s"baseline-$SPARK_VERSION.txt")

  def main(args: Array[String]): Unit = {
    val (options, names) = args.toSeq.partition(_.startsWith("--"))
    val chosen = if (options.contains("--ci")) Suites.ci else names
    val unknown = chosen.filterNot(Suites.classNames.contains) ++
      options.diff(Seq("--ci", "--off", "--rebaseline"))
    if (unknown.nonEmpty) {
      println(s"spark-suites: no such suite or option: ${unknown.mkString(", ")}")
      println("options: --ci --off --rebaseline; suites: " + Suites.all.mkString(" "))
      sys.exit(2)
    }
    val suites = if (chosen.isEmpty) Suites.all else chosen
    val rebaseline = options.contains("--rebaseline")
    val extended = !rebaseline && !options.contains("--off")
    // Static confs that Spark's test sessions inherit, as applications do.
    if (extended) {
      val extensions = Seq("latebloom.LateBloomExtensions", classOf[ScanCount].getName)
      sys.props("spark.sql.extensions") = extensions.mkString(",")
      // The tables of the tests are tiny.
      sys.props("spark.latebloom.join.minScanBytes") = "0"
    }

    val runs = suites.map { suite =>
      println(s"== $suite")
      val run = SuiteRun(Suites.classNames(suite))
      println(s"== $suite: ${run.passed.size} passed, ${run.failed.size} did not, ${run.seconds} s")
      if (rebaseline) record(run)
      run
    }
    println()
    sys.exit(if (rebaseline || judge(runs, extended)) 0 else 1)
  }

  private def judge(runs: Seq[SuiteRun], extended: Boolean): Boolean = {
    if (!Files.exists(baselineFile)) {
      println(s"There is no baseline of Spark $SPARK_VERSION: make one with --rebaseline.")
      return false
    }
    val baseline = Known.read(baselineFile)
    val allowed =
      if (extended && Files.exists(allowedFile)) Known.read(allowedFile)
      else Map.empty[String, Known]
    val verdicts = runs.map(run => Verdict(run, baseline.get(run.suite), allowed.get(run.suite)))
    verdicts.foreach(v => println(v.text))

    val late = runs.map(_.lateScans).sum
    val sparks = runs.map(_.sparkScans).sum
    val idle = extended && late == 0 && sparks > 0
    if (extended) {
      println(
        s"\nfile scans planned: $late LateScan with ${runs.map(_.joinFilters).sum} join filters, " +
          s"$sparks Spark's own"
      )
      if (idle) println("The extension did nothing: no LateScan was planned.")
    }
    val good = verdicts.forall(_.good) && !idle
    println(if (good) "As expected." else "Not as expected.")
    good
  }

  private def record(run: SuiteRun): Unit = {
    val old = if (Files.exists(baselineFile)) Known.read(baselineFile) else Map.empty[String, Known]
    val reasons = old.get(run.suite).fold(Map.empty[String, String])(_.failing)
    val failing = run.failed.keys.map(t => t -> reasons.getOrElse(t, "not yet explained")).toMap
    val header = Seq(
      s"What plain Spark $SPARK_VERSION does in its own suites when they run from the published",
      "test jars: the number of tests, the tests that do not pass, and why. Written by",
      "dev/spark-suites --rebaseline, which keeps the reasons."
    )
    val all = old.updated(run.suite, Known(run.suite, Some(run.tests), failing))
    Files.createDirectories(known)
    Known.write(baselineFile, header, all.values)
  }
}
