// SPDX-License-Identifier: Apache-2.0
package latebloom.cache

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.latebloom.{LateFiles, SharedValue}
import org.apache.spark.util.AccumulatorV2

import latebloom.cache.PredicateCache.{FileState, Known}
import latebloom.line.Compat._
import latebloom.read.SelectiveScan
import latebloom.read.io.UnchangedFiles
import latebloom.read.survivors.{SurvivorBlocks, SurvivorRecorder}

/** What a scan knows of the survivors in its files, and what it finds.
  *
  * @param run
  *   identifies the scan
  * @param isPinned
  *   whether files never change, as those of a table format
  * @param known
  *   of earlier scans
  * @param records
  *   whether this scan's own survivors can be remembered
  */
final private[latebloom] class Survivors private (
    run: String,
    isPinned: Boolean,
    known: Option[SharedValue[Map[String, Known]]],
    records: Boolean,
    found: FoundSurvivors
) extends Serializable {

  /** Whether something is known of files that never change; on the driver. */
  def knowsFiles: Boolean = isPinned && known.nonEmpty

  /** Whether no row of such a file survives. */
  def exclude(path: Path, length: Long): Boolean =
    knowsFiles && known.get.value.get(path.toString).exists(_.blocks.isEmpty(0, length))

  /** What is known of a file, provided that it is still the same; in a task. */
  def of(file: PartitionedFile, conf: Configuration): SurvivorBlocks = {
    val state = Survivors.state(file)
    known.flatMap(_.value.get(state.path)).filter(_.state == state) match {
      case Some(same) if isPinned || LateFiles.isUnchanged(run, file, conf) => same.blocks
      case _ => SurvivorBlocks.UNKNOWN
    }
  }

  /** Counts a split that is not opened; in a task. */
  def leaveOut(): Unit = found.add(FoundSurvivors.Part(None, splits = 1, rows = 0))

  /** Lets a scan of a split begin where the survivors are, and records what it finds, if that can
    * be remembered. Returns what to do when the scan is over.
    */
  def begin(file: PartitionedFile, blocks: SurvivorBlocks, scan: SelectiveScan): () => Unit = {
    val isRecorded = records && (isPinned || UnchangedFiles.isSettled(file.modificationTime))
    val recorder = when(isRecorded)(new SurvivorRecorder)
    scan.remember(blocks, recorder.orNull)
    () => {
      val end = file.start + file.length
      val recorded = recorder.map(_.found(file.start, end, scan.hasEnded)).filterNot(_.isUnknown)
      found.add(FoundSurvivors.Part(
        recorded.map(Known(Survivors.state(file), _)),
        splits = 0,
        rows = scan.rowsLeftOut
      ))
    }
  }
}

private[latebloom] object Survivors {

  /** @param files
    *   of the scan, in the state in which they were listed
    * @param records
    *   whether the scan leaves out rows by nothing but the condition
    * @param maxBytes
    *   of the cache
    */
  def of(
      condition: CachedCondition,
      run: String,
      isPinned: Boolean,
      files: => Seq[FileState],
      records: Boolean,
      maxBytes: Long,
      context: SparkContext
  ): Survivors = {
    val known = PredicateCache.lookup(condition, files)
    val found = new FoundSurvivors(Some(FoundSurvivors.Into(condition, maxBytes)))
    context.register(found)
    new Survivors(run, isPinned, when(known.nonEmpty)(SharedValue(known, context)), records, found)
  }

  private def state(file: PartitionedFile) =
    FileState(file.toPath.toString, file.fileSize, file.modificationTime)
}

/** Brings what tasks have found to the driver, and there into the cache at once. A task that fails
  * brings nothing.
  *
  * @param into
  *   None in tasks
  */
final private[cache] class FoundSurvivors(@transient private val into: Option[FoundSurvivors.Into])
    extends AccumulatorV2[FoundSurvivors.Part, Seq[FoundSurvivors.Part]] {
  import FoundSurvivors._

  private var found = Seq.empty[Part]

  override def isZero: Boolean = found.isEmpty

  override def copy(): FoundSurvivors = {
    val same = new FoundSurvivors(into)
    same.found = found
    same
  }

  override def reset(): Unit = found = Nil

  override def add(part: Part): Unit = if (!part.isNothing) found = part +: found

  override def merge(other: AccumulatorV2[Part, Seq[Part]]): Unit = Option(into).flatten match {
    case Some(Into(condition, maxBytes)) =>
      PredicateCache.add(condition, other.value.flatMap(_.known), maxBytes)
      PredicateCache.saved(other.value.map(_.splits).sum, other.value.map(_.rows).sum)
    case None => found = other.value ++ found
  }

  override def value: Seq[Part] = found
}

private object FoundSurvivors {

  /** Where tasks' results belong. */
  final case class Into(condition: CachedCondition, maxBytes: Long)

  /** What was found in a split of a file, and what was not read.
    *
    * @param splits
    *   that were not opened
    * @param rows
    *   that were left out of a split that was opened
    */
  final case class Part(known: Option[Known], splits: Long, rows: Long) {
    def isNothing: Boolean = known.isEmpty && splits == 0 && rows == 0
  }
}
