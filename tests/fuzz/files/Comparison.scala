// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import java.io.{PrintWriter, StringWriter}
import java.lang.management.ManagementFactory

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.OffHeap

import latebloom.fuzz.files.damage.{OrcParts, ParquetParts}

/** Runs a case by our reader and by Spark's, and judges the outcome. */
final class Comparison(
    watch: Watch,
    seconds: Double,
    ours: Scans,
    sparks: Scans,
    others: Comparison.Others
) {
  import Comparison._
  import Outcome._

  def apply(c: FileCase): Outcome = on(c)(judge(c, _))

  /** Judges a case in which Spark's reader ended the JVM: runs ours alone, whose damage the next
    * garbage collection would show.
    */
  def oursOnly(c: FileCase): Outcome = {
    on(c) { path =>
      val mine = run(c, path, ours, Watch.Ours)
      watch(c.id, Watch.Ours, 60)(System.gc())
      ill(c, path, mine).getOrElse(Outcome(Excluded, "Spark's reader ends the JVM"))
    }
  }

  /** Judges a case in which our reader ended the JVM: runs Spark's, and reports a finding if that
    * survives.
    */
  def sparksOnly(c: FileCase): Outcome = {
    on(c) { path =>
      (sparks +: others.columns).foreach(run(c, path, _, Watch.Sparks))
      watch(c.id, Watch.Sparks, 60)(System.gc())
      Outcome(Crash, "see the output for it")
    }
  }

  /** Ours runs first: Spark's reader may damage the JVM where ours does not. */
  private def judge(c: FileCase, path: String): Outcome = {
    val mine = run(c, path, ours, Watch.Ours)
    ill(c, path, mine).getOrElse {
      val theirs = run(c, path, sparks, Watch.Sparks)
      if (mine.allocated - mostOf(c, path, theirs, mine) > MaxAllocation) {
        val megabytes = mine.allocated >> 20
        Outcome(Allocates, where(mine), s"$megabytes MB, Spark ${theirs.allocated >> 20} MB\n$mine")
      } else {
        leak(mine, theirs).getOrElse(compared(c, path, mine, theirs))
      }
    }
  }

  /** Spark's allocation; if that is much less than ours, the most of any single column, since Spark
    * may have failed at an earlier one.
    */
  private def mostOf(c: FileCase, path: String, theirs: Run, mine: Run): Long =
    if (mine.allocated - theirs.allocated <= MaxAllocation) theirs.allocated
    else {
      others.columns.iterator.map(run(c, path, _, Watch.Sparks).allocated)
        .find(mine.allocated - _ <= MaxAllocation).getOrElse(theirs.allocated)
    }

  private def compared(c: FileCase, path: String, mine: Run, theirs: Run): Outcome =
    (mine.result, theirs.result) match {
      case (_, Stuck(_)) => Outcome(Excluded, "Spark takes too long")
      case (Failed(e), _) if isUnnamed(c, e) && !isTheirs(c, e, theirs) =>
        Outcome(Unnamed, origin(e), text(e))
      case (Failed(e), _) if isFatal(e, theirs) => Outcome(Fatal, origin(e), text(e))
      case (Failed(_), Failed(e))               =>
        Outcome(BothFail, if (c.steps.isEmpty) s"a good file: ${origin(e)}" else "")
      case (Failed(e), _)                   => Outcome(Refused, origin(e), text(e))
      case (_, Failed(e))                   => Outcome(Answered, origin(e))
      case (Answer(m), Answer(t)) if m == t => Outcome(Same)
      case (TooMany, TooMany)               => Outcome(Excluded, s"more than $MostRows rows")
      case (_, _) if run(c, path, sparks, Watch.Sparks).result != theirs.result =>
        Outcome(Excluded, "Spark gives different answers")
      // Where leaves contradict each other, Spark returns stale values of an earlier batch.
      case (_, t) if others.rebatched.exists(run(c, path, _, Watch.Sparks).result != t) =>
        Outcome(Excluded, "Spark gives different answers in batches of other sizes")
      case (m, _)
          if TrustedWriters.bound(c) &&
            others.ranged.exists(run(c, path, _, Watch.Sparks).result == m) =>
        Outcome(PrunedByKeys)
      case (m, _) if others.unpruned.exists(run(c, path, _, Watch.Sparks).result == m) =>
        Outcome(Unpruned)
      case (m, _) if c.seed.isParquet && isSameWithoutStatistics(c, m) => Outcome(Unpruned)
      case _ if c.seed.isParquet && contradictsItself(c, path)         =>
        Outcome(Excluded, "a field of a struct is another for Spark if it is read alone")
      case _ if !c.anonymous && c.seed.isParquet && isSameWithoutTrust(c, theirs) =>
        Outcome(Trusting)
      case _ if !c.seed.isParquet && isSameWithoutIndexes(c) => Outcome(InStep)
      case (m, t)                                            =>
        undamaged(c, m, t).getOrElse {
          Outcome(Different, c.seed.name, s"ours: ${shown(m, t)}\nSpark: ${shown(t, m)}")
        }
    }

  /** The outcome of the undamaged file, if both readers give the same of it as of the damaged one.
    * Then the damage does not cause the difference, and the undamaged file can be read in the other
    * ways as well, in which the damaged one may have no answer.
    */
  private def undamaged(c: FileCase, mine: Result, theirs: Result): Option[Outcome] =
    if (c.steps.isEmpty) None
    else {
      val good = c.copy(steps = Nil)
      on(good) { path =>
        val (ofGood, sparksOfGood) =
          (run(good, path, ours, Watch.Ours), run(good, path, sparks, Watch.Sparks))
        Option.when(ofGood.result == mine && sparksOfGood.result == theirs) {
          compared(good, path, ofGood, sparksOfGood)
        }
      }
    }

  /** The results of a case read in other ways than the query says, one line each. */
  def otherwise(c: FileCase): Seq[String] = on(c) { path =>
    def sparks(name: String, scans: Iterable[Scans]) = scans.toSeq.map { s =>
      s"Spark's, $name: ${run(c, path, s, Watch.Sparks)}"
    }
    def both(name: String, bytes: => Option[Array[Byte]]) = bytes.toSeq.flatMap { other =>
      val path = MemoryFiles.put(c.fileName, other)
      try {
        Seq(
          s"ours, $name: ${run(c, path, ours, Watch.Ours)}",
          s"Spark's, $name: ${run(c, path, this.sparks, Watch.Sparks)}"
        )
      } finally MemoryFiles.remove(path)
    }
    sparks("as the query says", Seq(this.sparks)) ++
      sparks("in other batches", others.rebatched) ++
      sparks("pruned by the keys", others.ranged) ++
      sparks("pruned less", others.unpruned) ++
      both("without statistics", ParquetParts.of(c.bytes).map(_.withoutStatistics)) ++
      both("without row indexes", OrcParts.of(c.bytes).map(_.withoutIndexes))
  }

  /** Whether the difference depends on the writer's name only: then statistics of a trusted writer
    * cause it, which are wrong nevertheless or do not reflect the damage.
    */
  private def isSameWithoutTrust(c: FileCase, theirs: Run): Boolean = {
    on(c.copy(anonymous = true)) { path =>
      val mine = run(c, path, ours, Watch.Ours).result
      mine == theirs.result || mine == run(c, path, sparks, Watch.Sparks).result
    }
  }

  /** Whether Spark's statistics cause the difference: ours gives the same answer without any, where
    * it is allowed.
    */
  private def isSameWithoutStatistics(c: FileCase, mine: Result): Boolean =
    ParquetParts.of(c.bytes).exists { parts =>
      val path = MemoryFiles.put(c.fileName, parts.withoutStatistics)
      try {
        run(c, path, ours, Watch.Ours).result == mine &&
        (run(c, path, sparks, Watch.Sparks).result match {
          case Failed(_) => true
          case other     => other == mine
        })
      } finally MemoryFiles.remove(path)
    }

  /** Whether the leaves of a struct disagree on where it is null: its fields then depend on which
    * of them are read, and ours reads only those that a filter needs. Spark's own reader shows it:
    * a field that it reads alone is another if it reads the struct's other fields, or only those
    * that the query names, with it.
    */
  private def contradictsItself(c: FileCase, path: String): Boolean =
    others.fields.exists { case (alone, together) =>
      (
        run(c, path, alone, Watch.Sparks).result,
        run(c, path, together, Watch.Sparks).result
      ) match {
        case (Answer(a), Answer(t)) => a != t
        case _                      => false
      }
    }

  /** Whether the difference depends on row indexes only: a stream that contradicts them, or is
    * damaged in a skipped part, is in step again after it for a reader that seeks, and out of step
    * or at its end for one that reads it from its start.
    */
  private def isSameWithoutIndexes(c: FileCase): Boolean =
    OrcParts.of(c.bytes).exists { parts =>
      val path = MemoryFiles.put(c.fileName, parts.withoutIndexes)
      try {
        run(c, path, sparks, Watch.Sparks).result match {
          case Failed(_) => true
          case theirs    => run(c, path, ours, Watch.Ours).result == theirs
        }
      } finally MemoryFiles.remove(path)
    }

  private def on[A](c: FileCase)(body: String => A): A = {
    val path = MemoryFiles.put(c.fileName, c.bytes)
    try body(path)
    finally MemoryFiles.remove(path)
  }

  /** Outcomes that are forbidden whatever Spark does. */
  private def ill(c: FileCase, path: String, mine: Run): Option[Outcome] =
    mine.outside.find(e => isVectorsCaller(e, isOurs) || !endsOutside(c, path)).map { e =>
      Outcome(Crash, s"off-heap vectors: ${origin(e)}", text(e))
    }.orElse(illResult(c, path, mine))

  /** Whether Spark's reader leaves the memory of off-heap vectors, too: with the query, or with one
    * of its columns, since it may have failed at another before.
    */
  private def endsOutside(c: FileCase, path: String): Boolean =
    (sparks +: others.columns).exists(run(c, path, _, Watch.Sparks).outside.nonEmpty)

  private def illResult(c: FileCase, path: String, mine: Run): Option[Outcome] = mine.result match {
    case Stuck(dump) =>
      val frame = dump.linesIterator.find(isOurs).getOrElse("").replaceAll("^.*//", "")
      // It may have pruned all of a file that ours reads, or failed where it prunes.
      def isStuck(others: Seq[Scans]) =
        others.exists(run(c, path, _, Watch.Sparks).result.isInstanceOf[Stuck])
      lazy val isSparks = isStuck(sparks +: others.unpruned)
      if (isInSparks(dump) && isSparks) {
        Some(Outcome(Excluded, s"Spark's reader takes too long, beneath ours as well: $frame"))
      } else if (claimsManyRows(c) && (isSparks || isStuck(others.columns))) {
        Some(Outcome(Excluded, "as many rows as take Spark too long"))
      } else {
        Some(Outcome(Hang, frame, dump))
      }
    case Failed(e) =>
      val chain = causes(e)
      if (chain.exists(isOfJvm) && endsSparks(c, path))
        Some(Outcome(Excluded, "an error of the JVM, in Spark's reader as well"))
      else if (chain.exists(isOfJvm))
        Some(Outcome(Fatal, origin(e), text(e)))
      else if (isBare(chain)) Some(Outcome(Bare, origin(e), text(e)))
      else None
    case _ => None
  }

  /** Whether it has so many rows, by its footer, that their number explains the time. */
  private def claimsManyRows(c: FileCase): Boolean =
    ParquetParts.of(c.bytes).exists(_.footer.structs(4).flatMap(_.number(3)).exists(_ > ManyRows))

  /** Whether Spark's reader meets an error of the JVM, too: with the query, or with one of its
    * columns, since it may have failed at another before.
    */
  private def endsSparks(c: FileCase, path: String): Boolean =
    (sparks +: others.columns).exists { scans =>
      run(c, path, scans, Watch.Sparks).result match {
        case Failed(e) => causes(e).exists(isOfJvm)
        case _         => false
      }
    }

  /** Memory and streams that our reader keeps and Spark's does not. */
  private def leak(mine: Run, theirs: Run): Option[Outcome] =
    if (mine.leaked > 0)
      Some(Outcome(Leaks, s"memory ${where(mine)}", s"${mine.leaked} bytes\n$mine"))
    else {
      Option.when(mine.streams > theirs.streams) {
        Outcome(Leaks, s"open streams ${where(mine)}", s"${mine.streams}\n$mine")
      }
    }

  private def run(c: FileCase, path: String, scans: Scans, phase: Byte): Run = {
    val streams = MemoryFiles.openStreams
    val before = threads.getCurrentThreadAllocatedBytes
    OffHeap.outside()
    var leaked = 0L
    // A case for which Spark takes too long is excluded; often it would never end.
    val limit = if (phase == Watch.Ours) seconds else seconds / 8
    val result = watch(c.id, phase, limit) {
      val (read, left) = scans.run(c.splits(path), MostRows)
      leaked = left
      read match {
        case Left(e)           => Failed(e)
        case Right(Some(rows)) => Answer(rows)
        case Right(None)       => TooMany
      }
    }.fold(Stuck, r => r)
    val allocated = threads.getCurrentThreadAllocatedBytes - before
    Run(result, allocated, leaked, MemoryFiles.openStreams - streams, OffHeap.outside())
  }
}

object Comparison {

  /** Spark's own reader with other settings than the query's; created on demand.
    *
    * @param ranged
    *   pruned also by the range of a join's keys
    * @param unpruned
    *   pruned less
    * @param rebatched
    *   in batches of other sizes
    * @param fields
    *   the fields of structs without a condition, each alone and with others of its struct
    * @param columns
    *   without a condition, one by one
    */
  final class Others(
      makeRanged: => Option[Scans],
      makeUnpruned: => Seq[Scans],
      makeRebatched: => Seq[Scans],
      makeFields: => Seq[(Scans, Scans)],
      makeColumns: => Seq[Scans]
  ) {
    lazy val ranged: Option[Scans] = makeRanged
    lazy val unpruned: Seq[Scans] = makeUnpruned
    lazy val rebatched: Seq[Scans] = makeRebatched
    lazy val fields: Seq[(Scans, Scans)] = makeFields
    lazy val columns: Seq[Scans] = makeColumns
  }

  /** Room for a bit per row of the longest page and an int per 64 of them, and more. */
  private val MaxAllocation = 416L << 20

  /** Files that claim more rows than these are not compared. */
  private val MostRows = 200000

  private val ManyRows = 1L << 26

  private val threads =
    ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  sealed private trait Result
  final private case class Answer(rows: Map[UnsafeRow, Int]) extends Result
  final private case class Failed(e: Throwable) extends Result
  final private case class Stuck(dump: String) extends Result
  private case object TooMany extends Result

  /** @param allocated
    *   bytes of the heap, whether freed or not
    * @param leaked
    *   bytes of execution memory
    * @param streams
    *   left open
    * @param outside
    *   accesses outside of the memory of off-heap vectors
    */
  final private case class Run(
      result: Result,
      allocated: Long,
      leaked: Long,
      streams: Int,
      outside: Seq[Throwable]
  ) {
    override def toString: String = result match {
      case Failed(e) => text(e)
      case Answer(r) => s"${r.values.sum} rows"
      case other     => other.toString
    }
  }

  private def where(run: Run): String = run.result match {
    case Failed(e) => origin(e)
    case _         => "with an answer"
  }

  /** Includes errors on which Spark itself fails while it adds the file's name. */
  private def isOfJvm(e: Throwable): Boolean = e match {
    case _: VirtualMachineError => true
    case m: MatchError          =>
      Seq("OutOfMemoryError", "StackOverflowError").exists(m.getMessage.contains)
    case _ => false
  }

  private def causes(e: Throwable): Seq[Throwable] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).take(50).toSeq

  private def isUnnamed(c: FileCase, e: Throwable): Boolean =
    !causes(e).exists(l => String.valueOf(l.getMessage).contains(c.fileName))

  /** Whether Spark fails with the same error without the file's name; or fails earlier, while ours
    * reaches a date that Spark refuses without naming a file, or a value that Spark's own vector
    * cannot return.
    */
  private def isTheirs(c: FileCase, e: Throwable, theirs: Run): Boolean = theirs.result match {
    case Failed(t) => isUnnamed(c, t) && t.getClass == e.getClass ||
      isOfUpgrade(e) || isAboveScan(e)
    case _ => false
  }

  private def isOfUpgrade(e: Throwable): Boolean = e match {
    case s: SparkThrowable => s.getCondition.startsWith("INCONSISTENT_BEHAVIOR_CROSS_VERSION")
    case _                 => false
  }

  private def isAboveScan(e: Throwable): Boolean = e.isInstanceOf[SparkThrowable] &&
    !causes(e).exists(_.getStackTrace.map(_.toString).exists(isOurs))

  /** Whether it is a linkage error or an assertion that Spark does not have as well. */
  private def isFatal(e: Throwable, theirs: Run): Boolean = {
    val found =
      causes(e).filter(c => c.isInstanceOf[LinkageError] || c.isInstanceOf[AssertionError])
    val same = theirs.result match {
      case Failed(t) => causes(t).map(_.getClass)
      case _         => Nil
    }
    found.exists(f => !same.contains(f.getClass))
  }

  /** Whether a stuck thread is in Spark's own reader, which ours called. */
  private def isInSparks(dump: String): Boolean = {
    val frames = dump.linesIterator.filter(_.trim.startsWith("at ")).map(_.replaceAll("^.*//", ""))
    val left = dump.contains("latebloom.read.FilteredRows")
    left || frames.find(f => !f.contains("at java")).exists(!isOurs(_))
  }

  private def isOurs(frame: String): Boolean =
    frame.contains("latebloom") && !frame.contains("latebloom.fuzz") && !frame.contains("FileTask")

  /** Whether the code that calls a vector passes. */
  private def isVectorsCaller(e: Throwable, passes: String => Boolean): Boolean = {
    val vectors = Seq("org.apache.spark.unsafe.", "org.apache.spark.sql.execution.vectorized.")
    e.getStackTrace.map(_.toString.replaceAll("^.*//", ""))
      .find(frame => !vectors.exists(frame.startsWith)).exists(passes)
  }

  /** Whether unchecked bytes in our code cause the error, and it has no place. */
  private def isBare(chain: Seq[Throwable]): Boolean = {
    val said = chain.exists { e =>
      val name = e.getClass.getSimpleName
      name == "CorruptPageException" || name == "CorruptStripeException"
    }
    val unchecked = chain.last match {
      case _: NullPointerException | _: IndexOutOfBoundsException | _: ClassCastException |
          _: NegativeArraySizeException | _: ArithmeticException | _: IllegalStateException |
          _: IllegalArgumentException | _: java.nio.BufferUnderflowException |
          _: NoSuchElementException =>
        true
      case _ => false
    }
    val thrower = chain.last.getStackTrace.map(_.toString)
      .find(f => !f.startsWith("java") && !f.startsWith("scala"))
    unchecked && !said && thrower.exists(isOurs)
  }

  /** The common part of failures with the same cause. */
  private def origin(e: Throwable): String = {
    val root = causes(e).last
    val frame = root.getStackTrace.map(_.toString).find(isOurs)
      .orElse(root.getStackTrace.headOption.map(_.toString)).getOrElse("")
    val message = String.valueOf(root.getMessage).linesIterator.nextOption().getOrElse("")
      .replaceAll("case-\\S+", "FILE").replaceAll("-?\\d+", "N").take(120)
    s"${root.getClass.getSimpleName}: $message (${frame.replaceAll("^.*//", "")})"
  }

  private def text(e: Throwable): String = {
    val out = new StringWriter
    e.printStackTrace(new PrintWriter(out, true))
    out.toString.linesIterator.take(120).mkString("\n")
  }

  private def shown(result: Result, other: Result): String = (result, other) match {
    case (Answer(a), Answer(b)) =>
      val more = a.filter { case (row, n) => b.getOrElse(row, 0) < n }
      s"${a.values.sum} rows; not in the other: ${more.size} kinds, such as ${more.keys.take(3)
          .mkString(", ")}"
    case (Answer(a), _) => s"${a.values.sum} rows"
    case (r, _)         => r.toString
  }
}
