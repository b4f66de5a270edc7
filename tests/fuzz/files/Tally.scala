// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import java.nio.file.{Files, Path, StandardCopyOption}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

/** Counts cases by outcome, and saves the counts in a file that survives a crash of the worker.
  *
  * @param next
  *   the number of the next case to run
  */
final class Tally private (file: Path, var next: Long) {
  private val counts = mutable.TreeMap.empty[(String, String, String), Long]

  def add(outcome: Outcome, seed: String): Unit = {
    count("outcome", outcome.kind.name, "")
    count("file", seed, outcome.kind.name)
    if (outcome.reason.nonEmpty) count("reason", outcome.kind.name, outcome.reason)
  }

  def of(kind: Outcome.Kind, reason: String): Long =
    counts.getOrElse(("reason", kind.name, reason), 0L)

  def cases: Long = all("outcome").map(_._3).sum

  def forbidden: Long = {
    val names = Outcome.kinds.filter(_.isForbidden).map(_.name)
    all("outcome").collect { case (name, _, n) if names.contains(name) => n }.sum
  }

  def save(): Unit = {
    val lines = s"next\t\t\t$next" +:
      counts.toSeq.map { case ((a, b, c), n) => s"$a\t$b\t${c.replaceAll("\\s", " ")}\t$n" }
    val fresh = file.resolveSibling(s"${file.getFileName}.new")
    Files.write(fresh, lines.asJava)
    Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE)
  }

  /** The count of each outcome, in one line. */
  def line: String = Outcome.kinds.flatMap { k =>
    val n = counts.getOrElse(("outcome", k.name, ""), 0L)
    Option.when(n > 0)(s"$n ${k.name}")
  }.mkString(", ")

  /** The counts by outcome and reason.
    *
    * @param files
    *   whether to list the good files, too
    */
  def report(files: Boolean): String = {
    val out = mutable.ArrayBuffer(s"$cases cases: $line")
    Outcome.kinds.foreach { k =>
      val reasons = all("reason").filter(_._1 == k.name).sortBy(-_._3)
      if (reasons.nonEmpty) out += s"\n${k.name}:"
      out ++= reasons.take(if (k.isForbidden) 200 else 40).map { case (_, why, n) =>
        f"$n%8d  $why"
      }
    }
    if (files) {
      out += "\nby good file:"
      out ++= all("file").groupBy(_._1).toSeq.sortBy(_._1).map { case (name, of) =>
        s"  $name: ${of.sortBy(-_._3).map { case (_, kind, n) => s"$n $kind" }.mkString(", ")}"
      }
    }
    out.mkString("\n")
  }

  private def count(a: String, b: String, c: String, n: Long = 1): Unit =
    counts.updateWith((a, b, c))(x => Some(x.getOrElse(0L) + n))

  private def all(what: String): Seq[(String, String, Long)] =
    counts.toSeq.collect { case ((`what`, b, c), n) => (b, c, n) }
}

object Tally {

  /** Loads the counts of the file; an empty tally if it does not exist. */
  def in(file: Path): Tally = {
    val tally = new Tally(file, 0)
    if (Files.exists(file)) {
      Files.readAllLines(file).asScala.map(_.split("\t", -1)).foreach {
        case Array("next", _, _, n) => tally.next = n.toLong
        case Array(a, b, c, n)      => tally.count(a, b, c, n.toLong)
      }
    }
    tally
  }
}
