// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeSet,
  DynamicPruning,
  Expression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.datasources.{
  FileSourceStrategy,
  HadoopFsRelation,
  LogicalRelation
}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

import latebloom.decision.{Decision, Declined, Reason, Reasons}
import latebloom.joinkeys.{JoinFilter, JoinFiltersInPlan}
import latebloom.tables.IcebergFiles
import latebloom.toprows.TopRowsInPlan

/** Plans an Iceberg table that [[latebloom.tables.IcebergTables]] shows as files: as a scan of
  * these if [[LateScans]] will filter it, as Iceberg's own scan otherwise, with the reason.
  */
object IcebergPlanning extends SparkStrategy with PredicateHelper {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = relation(plan) match {
    case None                 => Nil
    case Some((found, files)) =>
      val (ofRows, others) = conditions(plan).partition(prunesRows(_, found, files))
      FileSourceStrategy(without(ofRows, plan)).headOption.toSeq.map { physical =>
        val whyNot =
          if (ofRows.nonEmpty && !others.exists(_.isInstanceOf[JoinFilter]))
            Some(Reasons.icebergPruned)
          else LateScans.whyNot(physical)
        whyNot.fold(physical)(icebergs(plan, found, files, _))
      }
  }

  @tailrec
  private def relation(plan: LogicalPlan): Option[(LogicalRelation, IcebergFiles)] = plan match {
    case Project(_, child)  => relation(child)
    case Filter(_, child)   => relation(child)
    case l: LogicalRelation =>
      Some(l.relation).collect { case HadoopFsRelation(files: IcebergFiles, _, _, _, _, _) =>
        (l, files)
      }
    case _ => None
  }

  /** Spark prunes what Iceberg calls partitions, by any transform; partitions of files are those by
    * identity. For the others, our scan asks Iceberg for the files that keys of joins leave, if it
    * has such keys.
    */
  private def prunesRows(
      condition: Expression,
      found: LogicalRelation,
      files: IcebergFiles
  ): Boolean = condition match {
    case pruning: DynamicPruning =>
      val partitions = files.partitionSchema.fieldNames
      !pruning.references.subsetOf(
        AttributeSet(found.output.filter(a => partitions.contains(a.name)))
      )
    case _ => false
  }

  private def without(dropped: Seq[Expression], plan: LogicalPlan): LogicalPlan =
    if (dropped.isEmpty) plan
    else plan.transform { case Filter(condition, child) =>
      splitConjunctivePredicates(condition).filterNot(dropped.contains).reduceOption(And)
        .fold(child)(Filter(_, child))
    }

  private def icebergs(
      plan: LogicalPlan,
      found: LogicalRelation,
      files: IcebergFiles,
      why: Reason
  ): SparkPlan = {
    val own = files.ownScan(plan, found, isPruned(plan))
    val session = found.relation.asInstanceOf[HadoopFsRelation].sparkSession
    val physical = session.sessionState.planner.plan(own).next()
    physical.foreach {
      case batch: BatchScanExec => Decision.record(batch, Declined(why))
      case _                    =>
    }
    TopRowsInPlan.removed(JoinFiltersInPlan.removed(physical))
  }

  private def isPruned(plan: LogicalPlan) = conditions(plan).exists(_.isInstanceOf[DynamicPruning])

  private def conditions(plan: LogicalPlan): Seq[Expression] = plan.collect {
    case Filter(condition, _) => splitConjunctivePredicates(condition)
  }.flatten
}
