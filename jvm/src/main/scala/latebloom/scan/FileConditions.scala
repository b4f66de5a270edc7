// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.datasources.{FileStatusWithMetadata, HadoopFsRelation}
import org.apache.spark.sql.types.StructType

import latebloom.cache.CachedCondition
import latebloom.cache.PredicateCache.FileState

/** The conditions of a scan, as other queries know them again.
  *
  * @param session
  *   see [[CachedCondition.Source.session]]
  * @param columns
  *   of files that the conditions may refer to
  * @param read
  *   the same, with their types as they are read
  */
final private[latebloom] class FileConditions(
    relation: HadoopFsRelation,
    session: => String,
    columns: Seq[Attribute],
    read: StructType
) {
  private val format = SelectiveFormat.of(relation.fileFormat).get

  private lazy val source =
    CachedCondition.Source(FileConditions.resolution(format, relation), relation.options, session)

  private lazy val fields = {
    val inFiles = format.table.fold(read)(_.physical(read))
    columns.zip(inFiles).map { case (a, f) => a.exprId -> f }.toMap
  }

  /** What rows must meet; None if it may mean something else in another query. */
  def apply(
      conditions: Seq[Expression],
      keys: Seq[CachedCondition.Keys]
  ): Option[CachedCondition] = CachedCondition.of(
    source,
    conditions.filterNot(c => format.table.exists(_.dropsDeleted(c))),
    keys,
    fields
  )
}

private[latebloom] object FileConditions {

  /** Files in the state in which they were listed. */
  def states(files: Seq[FileStatusWithMetadata]): Seq[FileState] =
    files.map(f => FileState(f.getPath.toString, f.getLen, f.getModificationTime))

  /** What decides which column of a file is which, but for the columns themselves: ORC files may be
    * read by position.
    */
  private def resolution(format: SelectiveFormat, relation: HadoopFsRelation): String =
    if (format.name == "orc") s"orc ${relation.dataSchema.json}" else format.name
}
