// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.cache.PredicateCache.FileState
import latebloom.cache.{CachedCondition, Survivors}
import latebloom.joinkeys.JoinKeyPredicate
import latebloom.line.Compat._
import latebloom.read.ScanSpec

/** A scan that begins where an earlier one with the same conditions, or weaker ones, found
  * survivors, and that tells later ones what it finds.
  */
private[scan] trait RemembersSurvivors { scan: FileSourceScanExec =>

  /** The survivors in some files; None if the scan's conditions may mean something else in the next
    * query.
    *
    * @param spec
    *   the work of the files' readers
    * @param columns
    *   the columns of `spec`
    * @param conditions
    *   that the scan evaluates, without subqueries
    * @param pushed
    *   by which statistics and indexes of files are used, evaluated by the scan or above it,
    *   without subqueries
    * @param keys
    *   that the scan filters rows by
    * @param exactly
    *   whether it leaves out rows by nothing else
    */
  protected def survivorsOf(
      spec: ScanSpec,
      columns: Seq[Attribute],
      conditions: Seq[Expression],
      pushed: Seq[Expression],
      keys: Seq[JoinKeyPredicate],
      exactly: Boolean,
      files: => Seq[FileStatusWithMetadata]
  ): Option[Survivors] = {
    val settings = LateBloomConf.settings(conf).cache
    val format = SelectiveFormat.of(relation.fileFormat).get
    lazy val inFiles = format.table.fold(spec)(_.physical(spec)).columns
    lazy val digests = keys.map(_.digest)
    for {
      _ <- when(settings.enabled)(())
      condition <- CachedCondition.of(
        CachedCondition.Source(
          resolution(format),
          relation.options,
          conf,
          sparkContext.hadoopConfiguration
        ),
        (conditions ++ pushed.filterNot(c => format.table.exists(_.dropsDeleted(c)))).distinct,
        digests.flatten,
        columns.zip(inFiles).map { case (a, f) => a.exprId -> f }.toMap
      )
    } yield Survivors.of(
      condition,
      spec.id,
      isPinned = format.table.nonEmpty,
      files.map(f => FileState(f.getPath.toString, f.getLen, f.getModificationTime)),
      records = exactly && digests.forall(_.nonEmpty),
      settings.maxBytes,
      sparkContext
    )
  }

  /** What decides which column of a file is which, but for the columns themselves: ORC files may be
    * read by position.
    */
  private def resolution(format: SelectiveFormat): String =
    if (format.name == "orc") s"orc ${relation.dataSchema.json}" else format.name
}
