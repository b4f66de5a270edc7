// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import java.nio.file.{Path, Paths}

/** The options of a run, and those that only a worker gets.
  *
  * @param first
  *   the number of the first case
  * @param only
  *   part of the names of the good files to use
  * @param one
  *   the only cases to run, each with a full report
  * @param seconds
  *   processor seconds after which our reader hangs
  * @param stopAfter
  *   the number of forbidden outcomes after which the run ends, once the block is done
  * @param keep
  *   how many cases of one cause to shrink and save
  * @param crashed
  *   cases in which our reader ended the JVM (worker only)
  * @param fragile
  *   cases in which Spark's reader ended the JVM, so that only ours runs (worker only)
  * @param deadline
  *   when to stop, in milliseconds since 1970 (worker only)
  * @param state
  *   the folder of the tally and the running case, which outlive a worker (worker only)
  */
final case class Options(
    seed: Long = 1,
    minutes: Double = Double.PositiveInfinity,
    cases: Long = Long.MaxValue,
    first: Long = 0,
    only: String = "",
    one: Seq[Long] = Nil,
    seconds: Double = 4,
    stopAfter: Long = Long.MaxValue,
    keep: Int = 2,
    files: Path = Paths.get(".cache/fuzz-files"),
    found: Path = Paths.get("tests/fuzz/target/found"),
    worker: Boolean = false,
    crashed: Set[Long] = Set.empty,
    fragile: Set[Long] = Set.empty,
    deadline: Long = Long.MaxValue,
    state: Path = Paths.get("tests/fuzz/target/state")
)

object Options {
  val Help: String =
    """dev/fuzz files: damages Parquet and ORC files and reads them with Spark's reader and with ours.
      |
      |  --minutes N     stop after so long
      |  --cases N       stop after so many cases (30000 if neither is given)
      |  --seed N        the seed of the run (1)
      |  --only FORMAT   parquet or orc, or any part of a good file's name
      |  --first N       the number of the first case (0)
      |  --case N        run only this case of the run, in full detail (repeatable)
      |  --seconds N     report a hang after so many seconds of processor time (4)
      |  --stop-after N  stop after so many forbidden outcomes
      |  --keep N        how many cases of one cause to shrink and save (2)
      |
      |Forbidden outcomes are saved, with the damaged file, below tests/fuzz/target/found; then the
      |exit code is 1.""".stripMargin

  def parse(args: List[String], so: Options = Options()): Options = args match {
    case "--minutes" :: n :: rest    => parse(rest, so.copy(minutes = n.toDouble))
    case "--cases" :: n :: rest      => parse(rest, so.copy(cases = n.toLong))
    case "--seed" :: n :: rest       => parse(rest, so.copy(seed = n.toLong))
    case "--only" :: what :: rest    => parse(rest, so.copy(only = what))
    case "--first" :: n :: rest      => parse(rest, so.copy(first = n.toLong))
    case "--case" :: n :: rest       => parse(rest, so.copy(one = so.one :+ n.toLong))
    case "--seconds" :: n :: rest    => parse(rest, so.copy(seconds = n.toDouble))
    case "--stop-after" :: n :: rest => parse(rest, so.copy(stopAfter = n.toLong))
    case "--keep" :: n :: rest       => parse(rest, so.copy(keep = n.toInt))
    case "--worker" :: rest          => parse(rest, so.copy(worker = true))
    case "--deadline" :: n :: rest   => parse(rest, so.copy(deadline = n.toLong))
    case "--state" :: path :: rest   => parse(rest, so.copy(state = Paths.get(path)))
    case "--crashed" :: n :: rest    => parse(rest, so.copy(crashed = so.crashed + n.toLong))
    case "--fragile" :: n :: rest    => parse(rest, so.copy(fragile = so.fragile + n.toLong))
    case Nil                         => so
    case other :: _ => throw new IllegalArgumentException(s"no such option: $other")
  }
}
