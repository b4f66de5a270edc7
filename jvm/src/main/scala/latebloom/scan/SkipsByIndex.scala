// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.compile.Failure
import latebloom.index.sidecar.RangeEntry.FileState
import latebloom.index.{IndexSource, IndexedFiles, RangeCondition, SkipIndex}
import latebloom.joinkeys.JoinKeyPredicate
import latebloom.read.ScanSpec

/** A scan that leaves out the files, and the splits of files, in which a skip index shows that no
  * row meets its conditions.
  */
private[scan] trait SkipsByIndex { scan: FileSourceScanExec =>

  /** What the scan can leave out; None if it has no index, or may not use one: what is left out
    * cannot fail, so that no condition may that would be evaluated there. The parameters are those
    * of [[RemembersSurvivors.survivorsOf]].
    */
  protected def indexedOf(
      spec: ScanSpec,
      columns: Seq[Attribute],
      conditions: Seq[Expression],
      keys: Seq[JoinKeyPredicate],
      files: => Seq[FileStatusWithMetadata]
  ): Option[IndexedFiles] = {
    val settings = LateBloomConf.settings(conf).index
    val usable = settings.enabled && settings.folders.nonEmpty &&
      SelectiveFormat.of(relation.fileFormat).exists(f => f.table.isEmpty && f.whyNot.isEmpty) &&
      !(conditions ++ keys.map(_.key)).exists(Failure.mayFail)
    if (!usable) None
    else {
      // By the columns that are read from files: a file may have another one with the name of one
      // that is not, of a partition.
      val fields = columns.zip(spec.columns).map { case (a, f) =>
        a.exprId -> IndexSource.field(f)
      }.toMap
      val known = for (key <- keys; (column, of) <- key.known; field <- fields.get(column.exprId))
        yield RangeCondition.among(field, of)
      val hadoopConf = relation.sparkSession.sessionState.newHadoopConf()
      val asked = conditions.map(RangeCondition.of(_, a => fields.get(a.exprId)))
      SkipIndex.ask(
        spec.id,
        RangeCondition.all(asked ++ known),
        IndexSource(relation, conf, hadoopConf),
        hadoopConf,
        files.map(f => new FileState(f.getPath.toString, f.getLen, f.getModificationTime)).toSet,
        settings,
        sparkContext
      )
    }
  }
}
