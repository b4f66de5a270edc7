// SPDX-License-Identifier: Apache-2.0

package latebloom.suites

import java.nio.file.{Files, Paths}

/** Runs the published suites of a product one after another, in the folder `latebloom.suites.home`,
  * and compares every test with its result without the extension
  * (`<folder>/baseline-<version>.txt`) and the allowed differences
  * (`<folder>/expected-failures.txt`).
  *
  * @param product
  *   its name and version: `Spark 4.1.3`
  * @param folder
  *   of what is known of its suites
  * @param run
  *   runs the suite with this class name
  */
final class Runner(product: String, folder: String, suites: SuiteList, run: String => SuiteRun) {
  private val home = Paths.get(sys.props("latebloom.suites.home"))
  private val command = home.getFileName
  private val known = home.resolve(folder)
  private val allowedFile = known.resolve("expected-failures.txt")
  private val baselineFile = known.resolve(s"baseline-${product.split(' ').last}.txt")

  /** @param attach
    *   lets the sessions of the suites have the extension
    */
  def main(args: Seq[String])(attach: => Unit): Unit = {
    val (options, names) = args.partition(_.startsWith("--"))
    val chosen = if (options.contains("--ci")) suites.ci else names
    val unknown = chosen.filterNot(suites.classNames.contains) ++
      options.diff(Seq("--ci", "--off", "--rebaseline"))
    if (unknown.nonEmpty) {
      println(s"$command: no such suite or option: ${unknown.mkString(", ")}")
      println("options: --ci --off --rebaseline; suites: " + suites.all.mkString(" "))
      sys.exit(2)
    }
    val rebaseline = options.contains("--rebaseline")
    val extended = !rebaseline && !options.contains("--off")
    if (extended) {
      attach
      // The tables of the tests are tiny.
      sys.props("spark.latebloom.join.minScanBytes") = "0"
    }

    val runs = (if (chosen.isEmpty) suites.all else chosen).map { suite =>
      println(s"== $suite")
      val done = run(suites.classNames(suite))
      println(
        s"== $suite: ${done.passed.size} passed, ${done.failed.size} did not, ${done.seconds} s"
      )
      if (rebaseline) record(done)
      done
    }
    println()
    sys.exit(if (rebaseline || judge(runs, extended)) 0 else 1)
  }

  private def judge(runs: Seq[SuiteRun], extended: Boolean): Boolean = {
    if (!Files.exists(baselineFile)) {
      println(s"There is no baseline of $product: make one with --rebaseline.")
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
      s"What plain $product does in its own suites when they run from the published",
      "test jars: the number of tests, the tests that do not pass, and why. Written by",
      s"dev/$command --rebaseline, which keeps the reasons."
    )
    val all = old.updated(run.suite, Known(run.suite, Some(run.tests), failing))
    Files.createDirectories(known)
    Known.write(baselineFile, header, all.values)
  }
}
