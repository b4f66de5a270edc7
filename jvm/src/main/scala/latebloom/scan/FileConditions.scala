// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.datasources.{FileStatusWithMetadata, HadoopFsRelation}
import org.apache.spark.sql.types.StructType

import latebloom.cache.CachedCondition
import latebloom.cache.PredicateCache.FileState

/** The conditions and the files of a scan, as other queries know them again. */
private[latebloom] object FileConditions {

  /** What rows must meet; None if it may mean something else in another query.
    *
    * @param session
    *   see [[CachedCondition.Source.session]]
    * @param columns
    *   of files that the conditions may refer to
    * @param read
    *   the same, with their types as they are read
    */
  def apply(
      relation: HadoopFsRelation,
      session: => String,
      columns: Seq[Attribute],
      read: StructType,
      conditions: Seq[Expression],
      keys: Seq[CachedCondition.Keys]
  ): Option[CachedCondition] = {
    val format = SelectiveFormat.of(relation.fileFormat).get
    val inFiles = format.table.fold(read)(_.physical(read))
    CachedCondition.of(
      CachedCondition.Source(resolution(format, relation), relation.options, session),
      conditions.filterNot(c => format.table.exists(_.dropsDeleted(c))),
      keys,
      columns.zip(inFiles).map { case (a, f) => a.exprId -> f }.toMap
    )
  }

  /** Files in the state in which they were listed. */
  def states(files: Seq[FileStatusWithMetadata]): Seq[FileState] =
    files.map(f => FileState(f.getPath.toString, f.getLen, f.getModificationTime))

  /** What decides which column of a file is which, but for the columns themselves: ORC files may be
    * read by position.
    */
  private def resolution(format: SelectiveFormat, relation: HadoopFsRelation): String =
    if (format.name == "orc") s"orc ${relation.dataSchema.json}" else format.name
}
