// SPDX-License-Identifier: Apache-2.0

package latebloom.suites

/** Compares a suite's run with its recorded state. */
final case class Verdict(run: SuiteRun, baseline: Option[Known], allowed: Option[Known]) {
  private val plain = baseline.fold(Map.empty[String, String])(_.failing)
  private val listed = allowed.fold(Map.empty[String, String])(_.failing)

  /** Tests that fail here, pass on plain Spark, and are not listed. */
  val ours: Map[String, String] = run.failed -- plain.keys -- listed.keys

  /** Tests that pass, although listed or recorded as failing on plain Spark. */
  val stale: Set[String] = run.passed & (plain.keySet ++ listed.keySet)

  /** Listed names that are no test of the suite. */
  val unknown: Set[String] = listed.keySet -- run.passed -- run.failed.keySet

  /** Whether the suite ran fewer tests than on plain Spark, because it was cut short. */
  val complete: Boolean = baseline.exists(_.tests.contains(run.tests))

  def good: Boolean = ours.isEmpty && stale.isEmpty && unknown.isEmpty && complete

  def text: String = {
    val recorded = baseline.flatMap(_.tests).fold("none recorded")(n => s"$n recorded")
    val summary = f"${run.suite}%-60s ${run.passed.size}%4d passed" +
      s", ${run.failed.keySet.count(plain.contains)} fail on plain Spark too" +
      s", ${run.failed.keySet.count(listed.contains)} listed" +
      s", ${run.seconds} s, ${run.lateScans} of ${run.lateScans + run.sparkScans} scans late" +
      s", ${run.joinFilters} join filters"
    val problems =
      ours.toSeq.sorted.map { case (test, error) =>
        s"  FAILS ONLY HERE: $test\n${error.trim.indent(4).stripTrailing}"
      } ++
        stale.toSeq.sorted.map(test => s"  STALE, it passes: $test") ++
        unknown.toSeq.sorted.map(test => s"  LISTED, but there is no such test: $test") ++
        Option.when(!complete)(s"  RAN ${run.tests} TESTS, $recorded")
    (summary +: problems).mkString("\n")
  }
}
