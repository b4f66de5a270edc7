// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata
import org.apache.spark.sql.latebloom.LateBloomConf

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
    lazy val digests = keys.map(_.digest)
    for {
      _ <- when(settings.enabled)(())
      condition <- conditionOf(spec, columns, (conditions ++ pushed).distinct, digests.flatten)
    } yield Survivors.of(
      condition,
      spec.id,
      isPinned = SelectiveFormat.of(relation.fileFormat).get.table.nonEmpty,
      FileConditions.states(files),
      records = exactly && digests.forall(_.nonEmpty),
      settings.maxBytes,
      sparkContext
    )
  }

  @transient private lazy val settingsOfReaders: String =
    CachedCondition.Source.session(conf, sparkContext.hadoopConfiguration)

  /** What rows must meet, as later scans know it again; None if it may mean something else there.
    */
  protected def conditionOf(
      spec: ScanSpec,
      columns: Seq[Attribute],
      conditions: Seq[Expression],
      keys: Seq[CachedCondition.Keys]
  ): Option[CachedCondition] = FileConditions(
    relation,
    settingsOfReaders,
    columns,
    spec.columns,
    conditions,
    keys
  )
}
