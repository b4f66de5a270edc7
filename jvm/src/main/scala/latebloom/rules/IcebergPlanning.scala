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

import latebloom.decision.{Decision, Declined, Reason}
import latebloom.joinkeys.JoinFiltersInPlan
import latebloom.tables.IcebergFiles
import latebloom.toprows.TopRowsInPlan

/** Plans an Iceberg table that [[latebloom.tables.IcebergTables]] shows as files: as a scan of
  * these if [[LateScans]] will filter it, as Iceberg's own scan otherwise, with the reason.
  */
object IcebergPlanning extends SparkStrategy with PredicateHelper {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = relation(plan) match {
    case None                 => Nil
    case Some((found, files)) =>
      val ofFiles = withoutPruningOfRows(plan, found, files)
      FileSourceStrategy(ofFiles).headOption.toSeq.map { physical =>
        LateScans.whyNot(physical).fold(physical)(why => icebergs(plan, found, files, why))
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
    * identity. For the others, our scan asks Iceberg for the files that keys of joins leave.
    */
  private def withoutPruningOfRows(
      plan: LogicalPlan,
      found: LogicalRelation,
      files: IcebergFiles
  ): LogicalPlan = {
    val partitions = AttributeSet(found.output.filter { a =>
      files.partitionSchema.fieldNames.contains(a.name)
    })
    def isKept(conjunct: Expression) = conjunct match {
      case pruning: DynamicPruning => pruning.references.subsetOf(partitions)
      case _                       => true
    }
    plan.transform { case Filter(condition, child) =>
      splitConjunctivePredicates(condition).filter(isKept).reduceOption(And)
        .fold(child)(Filter(_, child))
    }
  }

  private def icebergs(
      plan: LogicalPlan,
      found: LogicalRelation,
      files: IcebergFiles,
      why: Reason
  ): SparkPlan = {
    val own = plan.transform {
      case l: LogicalRelation if l eq found =>
        files.ownScan(l.output, isPruned(plan))
    }
    val session = found.relation.asInstanceOf[HadoopFsRelation].sparkSession
    val physical = session.sessionState.planner.plan(own).next()
    physical.foreach {
      case batch: BatchScanExec => Decision.record(batch, Declined(why))
      case _                    =>
    }
    TopRowsInPlan.removed(JoinFiltersInPlan.removed(physical))
  }

  private def isPruned(plan: LogicalPlan) = plan.exists {
    case Filter(condition, _) => condition.exists(_.isInstanceOf[DynamicPruning])
    case _                    => false
  }
}
