// SPDX-License-Identifier: Apache-2.0
package latebloom.cache

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.latebloom.{LateFiles, SharedValue}

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
  * @param sets
  *   of filters whose survivors can be remembered
  */
final private[latebloom] class Survivors private (
    run: String,
    isPinned: Boolean,
    known: Option[SharedValue[Map[String, Known]]],
    sets: Array[Long],
    found: FoundByTasks[Survivors.Part]
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
  def leaveOut(): Unit = found.add(Survivors.Part(Nil, splits = 1, rows = 0))

  /** Lets a scan of a split begin where the survivors are, and records what it finds, if that can
    * be remembered. Returns what to do when the scan is over.
    */
  def begin(file: PartitionedFile, blocks: SurvivorBlocks, scan: SelectiveScan): () => Unit = {
    val isRecorded =
      sets.nonEmpty && (isPinned || UnchangedFiles.isSettled(file.modificationTime))
    val recorder = when(isRecorded)(new SurvivorRecorder(sets: _*))
    scan.remember(blocks, recorder.orNull)
    () => {
      val end = file.start + file.length
      val state = Survivors.state(file)
      val ofSets = recorder.toSeq.flatMap(_.found(file.start, end, scan.hasEnded)).zipWithIndex
      val recorded = ofSets.collect {
        case (of, set) if !of.isUnknown => Survivors.OfSet(set, Known(state, of))
      }
      val part = Survivors.Part(recorded, splits = 0, rows = scan.rowsLeftOut)
      if (!part.isNothing) found.add(part)
    }
  }
}

private[latebloom] object Survivors {

  /** A condition whose survivors are remembered.
    *
    * @param set
    *   the filters of the scan that it is made of, see `SurvivorRecorder`
    */
  final case class Recorded(condition: CachedCondition, set: Long)

  /** The set of some filters of a scan; None if they cannot be told apart from others. */
  def setOf(filters: Seq[Int]): Option[Long] = {
    val each = filters.map(SurvivorRecorder.setOf)
    when(each.nonEmpty && !each.contains(0L))(each.reduce(_ | _))
  }

  /** What a scan records.
    *
    * @param run
    *   identifies the scan
    * @param isPinned
    *   whether files never change, as those of a table format
    * @param maxBytes
    *   of the cache
    */
  final case class Recording(
      run: String,
      isPinned: Boolean,
      recorded: Seq[Recorded],
      maxBytes: Long
  )

  /** @param condition
    *   of the scan, to begin where earlier ones with it, or with weaker ones, found survivors
    * @param files
    *   of the scan, in the state in which they were listed
    */
  def of(
      condition: CachedCondition,
      recording: Recording,
      files: => Seq[FileState],
      context: SparkContext
  ): Survivors = {
    import recording._
    val known = PredicateCache.lookup(condition, files)
    val found = FoundByTasks[Part](context) { parts =>
      parts.flatMap(_.found).groupBy(_.set).foreach { case (set, of) =>
        PredicateCache.add(recorded(set).condition, of.map(_.known), maxBytes)
      }
      PredicateCache.saved(parts.map(_.splits).sum, parts.map(_.rows).sum)
    }
    new Survivors(
      run,
      isPinned,
      when(known.nonEmpty)(SharedValue(known, context)),
      recorded.map(_.set).toArray,
      found
    )
  }

  /** @param set the number of a set of filters */
  final private case class OfSet(set: Int, known: Known)

  /** What was found in a split of a file, and what was not read.
    *
    * @param splits
    *   that were not opened
    * @param rows
    *   that were left out of a split that was opened
    */
  final private case class Part(found: Seq[OfSet], splits: Long, rows: Long) {
    def isNothing: Boolean = found.isEmpty && splits == 0 && rows == 0
  }

  private def state(file: PartitionedFile) =
    FileState(file.toPath.toString, file.fileSize, file.modificationTime)
}
