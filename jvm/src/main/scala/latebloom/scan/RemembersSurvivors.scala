// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.cache.{CachedCondition, Survivors}
import latebloom.compile.ScanFilters.{OfCondition, OfKeys, Origin}
import latebloom.joinkeys.JoinKeyPredicate
import latebloom.line.Compat._
import latebloom.read.survivors.SurvivorRecorder

/** A scan that begins where an earlier one with the same conditions, or weaker ones, found
  * survivors, and that tells later ones what it finds.
  */
private[scan] trait RemembersSurvivors { scan: FileSourceScanExec =>
  import RemembersSurvivors._

  /** The survivors in some files; None if the scan's conditions may mean something else in the next
    * query.
    *
    * @param run
    *   identifies the scan
    * @param known
    *   knows conditions on the columns of the scan again
    * @param filters
    *   by which the scan leaves out rows, in the order of its spec, without subqueries
    * @param pushed
    *   by which statistics and indexes of files are used, evaluated by the scan or above it,
    *   without subqueries
    */
  protected def survivorsOf(
      run: String,
      known: FileConditions,
      filters: Seq[Origin],
      pushed: Seq[Expression],
      files: => Seq[FileStatusWithMetadata]
  ): Option[Survivors] = {
    val settings = LateBloomConf.settings(conf).cache
    // Digests cost time.
    lazy val asked = filters.map {
      case OfCondition(condition) => Some(Asked(Seq(condition), Nil))
      // A bound changes while the scan runs, and keys may come after it has begun.
      case OfKeys(keys: JoinKeyPredicate) => keys.digest.map(k => Asked(Nil, Seq(k)))
      case OfKeys(_)                      => None
    }
    def conditionOn(parts: Seq[Asked], pushed: Seq[Expression]) = {
      val conditions = parts.flatMap(_.conditions) ++ pushed
      known(conditions.distinct, parts.flatMap(_.keys))
    }
    def recorded(of: Seq[Int]) =
      for {
        set <- Survivors.setOf(of)
        condition <- conditionOn(of.flatMap(asked(_)), Nil)
      } yield Survivors.Recorded(condition, set)
    for {
      _ <- when(settings.enabled)(())
      condition <- conditionOn(asked.flatten, pushed)
    } yield {
      val all = when(asked.forall(_.nonEmpty))(Survivors.Recorded(condition, SurvivorRecorder.ALL))
      // The next query may have other days of a report, or other keys of a join.
      val own = filters.indices.filter(filters(_).isInstanceOf[OfCondition])
      val each = asked.indices.filter(asked(_).nonEmpty).map(Seq(_))
      val some = (own +: each).flatMap(recorded(_)).distinct
        .filterNot(one => all.exists(_.condition == one.condition))
      Survivors.of(
        condition,
        Survivors.Recording(
          run,
          isPinned = SelectiveFormat.of(relation.fileFormat).get.table.nonEmpty,
          all.toSeq ++ some,
          settings.maxBytes
        ),
        FileConditions.states(files),
        sparkContext
      )
    }
  }

  protected def settingsOfReaders: String =
    CachedCondition.Source.session(conf, sparkContext.hadoopConfiguration)
}

private object RemembersSurvivors {

  /** What some filters ask of rows, as later scans may know it again. */
  final private case class Asked(conditions: Seq[Expression], keys: Seq[CachedCondition.Keys])
}
