// SPDX-License-Identifier: Apache-2.0

package latebloom.suites

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/** The recorded state of a suite: its number of tests (where known) and the tests that fail, each
  * with its reason. As text:
  * {{{
  * ParquetIOSuite: 77 tests
  *   name of a test
  *     why it fails
  * }}}
  */
final case class Known(suite: String, tests: Option[Int], failing: Map[String, String])

object Known {
  private val Counted = raw"(\w+): (\d+) tests".r

  def read(file: Path): Map[String, Known] = {
    val lines = Files.readAllLines(file).asScala.filterNot(l => l.isBlank || l.startsWith("#"))
    val suites = lines.foldLeft(List.empty[(Known, Option[String])]) {
      case ((known, Some(test)) :: before, line) if line.startsWith("    ") =>
        val reason = (known.failing(test) + " " + line.trim).trim
        (known.copy(failing = known.failing.updated(test, reason)), Some(test)) :: before
      case ((known, _) :: before, line) if line.startsWith("  ") =>
        (
          known.copy(failing = known.failing.updated(line.drop(2), "")),
          Some(line.drop(2))
        ) :: before
      case (before, Counted(suite, tests)) =>
        (Known(suite, Some(tests.toInt), Map.empty), None) :: before
      case (before, line) if !line.startsWith(" ") => (Known(line, None, Map.empty), None) :: before
      case (_, line) => throw new IllegalArgumentException(s"$file: a stray line: $line")
    }
    val known = suites.map(_._1)
    for (k <- known; (test, reason) <- k.failing if reason.isEmpty)
      throw new IllegalArgumentException(s"$file: no reason is given for ${k.suite}: $test")
    known.map(k => k.suite -> k).toMap
  }

  def write(file: Path, header: Seq[String], known: Iterable[Known]): Unit = {
    val lines = known.toSeq.sortBy(_.suite).flatMap { k =>
      val name = k.suite + k.tests.fold("")(n => s": $n tests")
      name +: k.failing.toSeq.sorted.flatMap { case (test, why) => Seq(s"  $test", s"    $why") }
    }
    Files.write(file, (header.map("# " + _) ++ lines).asJava)
  }
}
