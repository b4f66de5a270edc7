// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import java.io.{PrintWriter, StringWriter}
import java.lang.management.ManagementFactory

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.OffHeap

import latebloom.fuzz.files.damage.{OrcParts, ParquetParts}
import latebloom.testkit.Conditions

/** Reads a case with LateBloom's reader and with Spark's, and judges the outcome.
  *
  * @param seconds
  *   limit of processor time for LateBloom's reader; Spark's has an eighth of it
  */
final class Comparison(
    watch: Watch,
    seconds: Double,
    ours: Scans,
    sparks: Scans,
    variants: Comparison.Variants
) {
  import Comparison._
  import Outcome._

  def apply(c: FileCase): Outcome = on(c)(judge(c, _))

  /** Judges a case in which Spark's reader ended the JVM: runs only ours. A garbage collection
    * afterwards reveals memory that ours corrupted.
    */
  def oursOnly(c: FileCase): Outcome = {
    on(c) { path =>
      val mine = run(c, path, ours, Watch.Ours)
      watch(c.id, Watch.Ours, 60)(System.gc())
      forbidden(c, path, mine).getOrElse(Outcome(Excluded, "Spark's reader ends the JVM"))
    }
  }

  /** Judges a case in which our reader ended the JVM: runs only Spark's. If this JVM survives, the
    * crash is a finding.
    */
  def sparksOnly(c: FileCase): Outcome = {
    on(c) { path =>
      (sparks +: variants.columns).foreach(run(c, path, _, Watch.Sparks))
      watch(c.id, Watch.Sparks, 60)(System.gc())
      Outcome(Crash, "the output of the run shows the crash")
    }
  }

  /** Runs ours first, since Spark's reader may corrupt the JVM's memory. */
  private def judge(c: FileCase, path: String): Outcome = {
    val mine = run(c, path, ours, Watch.Ours)
    forbidden(c, path, mine).getOrElse {
      val theirs = run(c, path, sparks, Watch.Sparks)
      if (allocatesTooMuch(c, path, mine, theirs)) {
        val megabytes = mine.allocated >> 20
        Outcome(Allocates, where(mine), s"$megabytes MB, Spark ${theirs.allocated >> 20} MB\n$mine")
      } else {
        leak(mine, theirs).getOrElse(compared(c, path, mine, theirs))
      }
    }
  }

  /** Whether ours allocates far more than Spark, each time: Spark's reader beneath ours may take
    * any memory outside of the heap for a length. The batches of a result with too many rows are
    * much in sum only.
    */
  private def allocatesTooMuch(c: FileCase, path: String, mine: Run, theirs: Run): Boolean = {
    val limit = MaxAllocation * (1 + c.query.keys.size)
    mine.result != TooMany &&
    (mine.allocated - sparkAllocation(c, path, theirs, mine) > limit) &&
    (1 to 2).forall(_ => run(c, path, ours, Watch.Ours).allocated - theirs.allocated > limit)
  }

  /** The bytes that Spark allocates with the query. If these are far fewer than ours, the bytes of
    * a single column, or field, that explain ours, since Spark may have failed at an earlier one.
    */
  private def sparkAllocation(c: FileCase, path: String, theirs: Run, mine: Run): Long =
    if (mine.allocated - theirs.allocated <= MaxAllocation) theirs.allocated
    else {
      (variants.columns.iterator ++ variants.fields.iterator.map(_._1))
        .map(run(c, path, _, Watch.Sparks).allocated)
        .find(mine.allocated - _ <= MaxAllocation).getOrElse(theirs.allocated)
    }

  private def compared(c: FileCase, path: String, mine: Run, theirs: Run): Outcome =
    (mine.result, theirs.result) match {
      case (_, Stuck(_)) => Outcome(Excluded, "Spark takes too long")
      case (Failed(e), _) if isUnnamed(c, e) && !isSparkError(c, e, theirs) =>
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
      case (_, t) if variants.rebatched.exists(run(c, path, _, Watch.Sparks).result != t) =>
        Outcome(Excluded, "Spark gives different answers in batches of other sizes")
      case (m, _)
          if TrustedWriters.bound(c) &&
            variants.pruned.exists(run(c, path, _, Watch.Sparks).result == m) =>
        Outcome(PrunedByKeys)
      case (m, _) if variants.unpruned.exists(run(c, path, _, Watch.Sparks).result == m) =>
        Outcome(Unpruned)
      case (m, _) if c.seed.isParquet && isSameWithoutStatistics(c, m) => Outcome(Unpruned)
      case _ if c.seed.isParquet && contradictsItself(c, path)         =>
        Outcome(Excluded, "Spark reads a struct's field differently without its other fields")
      case _ if !c.anonymous && c.seed.isParquet && isSameWithoutTrust(c, theirs) =>
        Outcome(TrustedStatistics)
      case _ if !c.seed.isParquet && isSameWithoutIndexes(c)      => Outcome(TrustedIndex)
      case _ if c.seed.isParquet && readsByWrongPlaces(c, theirs) =>
        Outcome(Excluded, "Spark reads by an offset index that contradicts the pages")
      case (m, t) =>
        lessDamaged(c, m, t).getOrElse {
          Outcome(Different, c.seed.name, s"ours: ${shown(m, t)}\nSpark: ${shown(t, m)}")
        }
    }

  /** The outcome of the file without damage, or with one step less, if both readers return of it
    * what they return of the damaged one. Then what is left out does not cause the difference, and
    * Spark's variants can read the file where they may fail on the damaged one.
    */
  private def lessDamaged(c: FileCase, mine: Result, theirs: Result): Option[Outcome] = {
    val less = if (c.steps.isEmpty) Nil
    else Nil +: c.steps.indices.reverse.map(c.steps.patch(_, Nil, 1)).filter(_.nonEmpty)
    less.iterator.map(steps => c.copy(steps = steps)).flatMap { other =>
      on(other) { path =>
        val (m, t) =
          (run(other, path, ours, Watch.Ours), run(other, path, sparks, Watch.Sparks))
        Option.when(m.result == mine && t.result == theirs)(compared(other, path, m, t))
      }
    }.nextOption()
  }

  /** Reads a case again, with each of Spark's variants and without the metadata that prunes;
    * returns a line per result, with the answer that it equals.
    */
  def diagnosis(c: FileCase): Seq[String] = on(c) { path =>
    val mine = run(c, path, ours, Watch.Ours)
    val theirs = run(c, path, this.sparks, Watch.Sparks)
    val known = Seq("ours" -> mine.result, "Spark's" -> theirs.result)
    def described(run: Run) = {
      val same = known.collect { case (whose, result) if result == run.result => whose }
      if (same.isEmpty) run.toString else s"$run, as ${same.mkString(" and ")}"
    }
    def sparks(name: String, scans: Iterable[Scans]) = scans.toSeq.map { s =>
      s"Spark's, $name: ${described(run(c, path, s, Watch.Sparks))}"
    }
    def both(name: String, bytes: => Option[Array[Byte]]) = bytes.toSeq.flatMap { other =>
      val path = MemoryFiles.put(c.fileName, other)
      try {
        Seq(
          s"ours, $name: ${described(run(c, path, ours, Watch.Ours))}",
          s"Spark's, $name: ${described(run(c, path, this.sparks, Watch.Sparks))}"
        )
      } finally MemoryFiles.remove(path)
    }
    Seq(s"ours: $mine", s"Spark's, as the query says: $theirs") ++
      sparks("in other batches", variants.rebatched) ++
      sparks("pruned by the keys", variants.pruned) ++
      sparks("pruned less", variants.unpruned) ++
      both("without statistics", ParquetParts.of(c.bytes).map(_.withoutStatistics)) ++
      both("without row indexes", OrcParts.of(c.bytes).map(_.withoutIndexes))
  }

  /** Whether the difference disappears without the writer's name, or is then one of Spark's
    * pruning. Then statistics of a trusted writer cause it: they are wrong, or do not reflect the
    * damage.
    */
  private def isSameWithoutTrust(c: FileCase, theirs: Run): Boolean = {
    on(c.copy(anonymous = true)) { path =>
      val mine = run(c, path, ours, Watch.Ours).result
      mine == theirs.result ||
      (sparks +: variants.unpruned).exists(run(c, path, _, Watch.Sparks).result == mine)
    }
  }

  /** Whether Spark's pruning by statistics causes the difference: without any statistics ours gives
    * the same answer, and Spark gives it too or fails.
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

  /** Whether the leaves of a struct disagree on where it is null. Its fields' values then depend on
    * which of them a reader reads, and ours reads only those that a filter needs. Spark's own
    * reader proves it: it returns other values of a field alone than of the field together with the
    * struct's other fields, or with those that the query names.
    */
  private def contradictsItself(c: FileCase, path: String): Boolean =
    variants.fields.exists { case (alone, together) =>
      (
        run(c, path, alone, Watch.Sparks).result,
        run(c, path, together, Watch.Sparks).result
      ) match {
        case (Answer(a), Answer(t)) => a != t
        case _                      => false
      }
    }

  /** Whether the difference depends on row indexes only. Where a stream contradicts its index, or
    * is damaged in a skipped part, a reader that seeks by the index continues at the right value;
    * one that reads from the start is at another value or at the stream's end.
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

  /** Whether an offset index disagrees with the page headers on where a page's rows are, and Spark
    * reads by offset indexes: it fails if all their pages lie elsewhere. Which values it takes for
    * those of a row then depends on the pages that it reads.
    */
  private def readsByWrongPlaces(c: FileCase, theirs: Run): Boolean =
    ParquetParts.of(c.bytes).filter(_.indexesContradictPages).exists { parts =>
      val path = MemoryFiles.put(c.fileName, parts.withPagesElsewhere)
      try run(c, path, sparks, Watch.Sparks).result != theirs.result
      finally MemoryFiles.remove(path)
    }

  private def on[A](c: FileCase)(body: String => A): A = {
    val path = MemoryFiles.put(c.fileName, c.bytes)
    try body(path)
    finally MemoryFiles.remove(path)
  }

  /** The outcome if ours accesses memory outside of its vectors, hangs, or fails with an error of
    * the JVM or one without a place in the file. Spark's result excuses a hang, an error of the JVM
    * and an access by Spark's own code, but no other.
    */
  private def forbidden(c: FileCase, path: String, mine: Run): Option[Outcome] =
    mine.outside.find(e => isOurAccess(e) || !hasSparkAccess(c, path))
      .map(e => Outcome(Crash, s"off-heap vectors: ${origin(e)}", text(e)))
      .orElse(forbiddenResult(c, path, mine))

  /** Whether Spark's reader accesses memory outside of its vectors, too: with the query, or with
    * one of its columns, since it may have failed at another before.
    */
  private def hasSparkAccess(c: FileCase, path: String): Boolean =
    (sparks +: variants.columns).exists(run(c, path, _, Watch.Sparks).outside.nonEmpty)

  private def forbiddenResult(c: FileCase, path: String, mine: Run): Option[Outcome] =
    mine.result match {
      case Stuck(dump) =>
        val frame = dump.linesIterator.find(isOurs).getOrElse("").replaceAll("^.*//", "")
        def isStuck(scans: Seq[Scans]) =
          scans.exists(run(c, path, _, Watch.Sparks).result.isInstanceOf[Stuck])
        // With pruning Spark may skip, or fail on, what ours reads: try it with less, too.
        lazy val isSparks = isStuck(sparks +: variants.unpruned)
        if (isInSparks(dump) && isSparks) {
          Some(Outcome(Excluded, s"Spark's reader takes too long, beneath ours as well: $frame"))
        } else if (claimsManyRows(c) && (isSparks || hasManyRows(c, path))) {
          Some(Outcome(Excluded, "as many rows as take Spark too long"))
        } else {
          Some(Outcome(Hang, frame, dump))
        }
      case Failed(e) =>
        val chain = causes(e)
        if (chain.exists(isJvmError) && hasSparkJvmError(c, path))
          Some(Outcome(Excluded, "an error of the JVM, in Spark's reader as well"))
        else if (chain.exists(isJvmError))
          Some(Outcome(Fatal, origin(e), text(e)))
        else if (isBare(chain)) Some(Outcome(Bare, origin(e), text(e)))
        else None
      case _ => None
    }

  /** Whether Spark's reader finds many rows, or takes too long, in one of the query's columns. With
    * the query it may fail at an earlier column.
    */
  private def hasManyRows(c: FileCase, path: String): Boolean =
    variants.columns.map(run(c, path, _, Watch.Sparks).result).exists {
      case Stuck(_) | TooMany => true
      case _                  => false
    }

  /** Whether the file's footer claims so many rows that their number explains the time. */
  private def claimsManyRows(c: FileCase): Boolean =
    ParquetParts.of(c.bytes).exists(_.footer.structs(4).flatMap(_.number(3)).exists(_ > ManyRows))

  /** Whether Spark's reader, too, fails with an error of the JVM: with the query, or with one of
    * its columns alone, since the query may fail at an earlier column.
    */
  private def hasSparkJvmError(c: FileCase, path: String): Boolean =
    (sparks +: variants.columns).exists { scans =>
      run(c, path, scans, Watch.Sparks).result match {
        case Failed(e) => causes(e).exists(isJvmError)
        case _         => false
      }
    }

  /** The outcome if ours leaves execution memory allocated, or more streams open than Spark's. */
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
    // Spark's limit is short: a case that exceeds it is excluded, and often would never end.
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

  /** Spark's own reader with other settings or columns than the query's; created on demand.
    *
    * @param makePruned
    *   prune also by the keys of a join
    * @param makeUnpruned
    *   prune less
    * @param makeRebatched
    *   read batches of other sizes
    * @param makeFields
    *   read struct fields without a condition: each alone, and with other fields of its struct
    * @param makeColumns
    *   read the query's columns without a condition, one by one
    */
  final class Variants(
      makePruned: => Seq[Scans],
      makeUnpruned: => Seq[Scans],
      makeRebatched: => Seq[Scans],
      makeFields: => Seq[(Scans, Scans)],
      makeColumns: => Seq[Scans]
  ) {
    lazy val pruned: Seq[Scans] = makePruned
    lazy val unpruned: Seq[Scans] = makeUnpruned
    lazy val rebatched: Seq[Scans] = makeRebatched
    lazy val fields: Seq[(Scans, Scans)] = makeFields
    lazy val columns: Seq[Scans] = makeColumns
  }

  /** Bytes that ours may allocate beyond Spark's for the condition, and again for a join filter:
    * more than a bit per row of the longest page, and an int per 64 rows.
    */
  private val MaxAllocation = 416L << 20

  /** Results with more rows are not compared. */
  private val MostRows = 200000

  private val ManyRows = 1L << 26

  private val threads =
    ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  sealed private trait Result
  final private case class Answer(rows: Map[UnsafeRow, Int]) extends Result
  final private case class Failed(e: Throwable) extends Result
  final private case class Stuck(dump: String) extends Result
  private case object TooMany extends Result

  /** One reader's result and what it used.
    *
    * @param allocated
    *   bytes that it allocated on the heap, freed or not
    * @param leaked
    *   bytes of execution memory that it did not release
    * @param streams
    *   number of streams that it left open
    * @param outside
    *   its accesses to memory outside of off-heap vectors
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

  /** Whether it is an error of the JVM, or the MatchError that Spark raises instead when it tries
    * to add the file's name to one.
    */
  private def isJvmError(e: Throwable): Boolean = e match {
    case _: VirtualMachineError => true
    case m: MatchError          =>
      Seq("OutOfMemoryError", "StackOverflowError").exists(m.getMessage.contains)
    case _ => false
  }

  private def causes(e: Throwable): Seq[Throwable] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).take(50).toSeq

  private def isUnnamed(c: FileCase, e: Throwable): Boolean =
    !causes(e).exists(l => String.valueOf(l.getMessage).contains(c.fileName))

  /** Whether Spark's code is responsible for an error without the file's name. Either Spark fails
    * with the same error; or Spark fails earlier, and ours reaches a date that Spark refuses
    * without naming a file, or a value that Spark's own vector cannot return.
    */
  private def isSparkError(c: FileCase, e: Throwable, theirs: Run): Boolean = theirs.result match {
    case Failed(t) => isUnnamed(c, t) && t.getClass == e.getClass ||
      isUpgradeError(e) || isAboveScan(e)
    case _ => false
  }

  private def isUpgradeError(e: Throwable): Boolean = e match {
    case s: SparkThrowable =>
      Option(Conditions.of(s)).exists(_.startsWith("INCONSISTENT_BEHAVIOR_CROSS_VERSION"))
    case _ => false
  }

  private def isAboveScan(e: Throwable): Boolean = e.isInstanceOf[SparkThrowable] &&
    !causes(e).exists(_.getStackTrace.map(_.toString).exists(isOurs))

  /** Whether ours fails with a linkage or assertion error, and Spark with none of that class. */
  private def isFatal(e: Throwable, theirs: Run): Boolean = {
    val found =
      causes(e).filter(c => c.isInstanceOf[LinkageError] || c.isInstanceOf[AssertionError])
    val same = theirs.result match {
      case Failed(t) => causes(t).map(_.getClass)
      case _         => Nil
    }
    found.exists(f => !same.contains(f.getClass))
  }

  /** Whether the stuck thread runs Spark's reader or decoders, which ours called. */
  private def isInSparks(dump: String): Boolean = {
    val frames = dump.linesIterator.filter(_.trim.startsWith("at ")).map(_.replaceAll("^.*//", ""))
    val left = dump.contains("latebloom.read.FilteredRows")
    left || frames.find(f => !f.contains("at java")).exists(!isOurs(_))
  }

  private def isOurs(frame: String): Boolean =
    frame.contains("latebloom") && !frame.contains("latebloom.fuzz") && !frame.contains("FileTask")

  /** Whether our code, not Spark's below it, calls the vector that accesses other memory. */
  private def isOurAccess(e: Throwable): Boolean = {
    val vectors = Seq("org.apache.spark.unsafe.", "org.apache.spark.sql.execution.vectorized.")
    e.getStackTrace.map(_.toString.replaceAll("^.*//", ""))
      .find(frame => !vectors.exists(frame.startsWith)).exists(isOurs)
  }

  /** Whether our code failed on unchecked bytes with an error that names no place in the file. */
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

  /** The part of a failure that all failures with the same cause share. */
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
