// SPDX-License-Identifier: Apache-2.0
package latebloom.estimate

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.rules.LateScans
import latebloom.scan.{LateScan, SelectiveFormat}
import latebloom.statistics.{ScanSize, ScanSizes, SizedFilter}

/** Tells Spark, before it chooses how to join, how many rows the filters of scans leave.
  *
  * Spark takes a filtered scan to have as many bytes as its files. A complete scan has counted its
  * rows for the next queries; a side of a join that none has scanned, and whose size decides how
  * the join is executed, is scanned while the query is planned, if that takes little beside the
  * query. No other estimate is used: what a sample or statistics of values suggest may be wrong,
  * and then Spark would broadcast what no executor has memory for.
  */
object SizedScans extends Rule[LogicalPlan] with PredicateHelper {

  /** How many times as many bytes as a side whose rows are counted the other one has. */
  private val MuchLarger = 16

  /** Bytes that a core reads in a second, about. */
  private val Speed = 100e6

  /** Seconds: less than what a job takes would be wasted, and none waits longer for free cores. */
  private val LeastPatience = 0.1
  private val MostPatience = 0.5

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case s: Subquery if s.correlated                                 => plan
    case _ if plan.isStreaming || !plan.exists(_.isInstanceOf[Join]) => plan
    case _                                                           =>
      val settings = LateBloomConf.settings(conf)
      if (!settings.enabled || !settings.scanEnabled || !settings.statistics.enabled) plan
      else {
        val asKnown = if (ScanSizes.isEmpty) plan else known(plan, new KnownSizes(conf))
        if (conf.autoBroadcastJoinThreshold <= 0) asKnown
        else counted(asKnown, settings.statistics.patience)
      }
  }

  /** Spark applies the rule until nothing changes: what has been asked about a filter. */
  private val lookedUp = TreeNodeTag[Unit]("latebloom.sizeLookedUp")
  private val isCounted = TreeNodeTag[Unit]("latebloom.sizeCounted")

  private def once(filter: Filter, asked: TreeNodeTag[Unit]): Boolean = {
    val first = filter.getTagValue(asked).isEmpty
    filter.setTagValue(asked, ())
    first
  }

  /** Looks up sides that Spark takes to be too large to broadcast. */
  private def known(plan: LogicalPlan, sizes: KnownSizes): LogicalPlan = plan match {
    case SideOfFiles(filter, files, used) =>
      val size = if (isLarge(plan) && once(filter, lookedUp)) sizes.of(filter, files) else None
      size.fold(plan)(s => sized(plan, filter, SizedFilter(filter, used, s)))
    case other => other.mapChildren(known(_, sizes))
  }

  /** What is known of the first filtered scan of a plan. */
  private[latebloom] def knownSize(plan: LogicalPlan): Option[ScanSize] = plan.collectFirst {
    case FilteredFiles(filter, files) => new KnownSizes(conf).of(filter, files)
  }.flatten

  private def sized(plan: LogicalPlan, filter: Filter, by: SizedFilter): LogicalPlan =
    plan.transformDown { case f if f eq filter => by }

  private def counted(plan: LogicalPlan, patience: Double): LogicalPlan = plan.transformUp {
    case j @ ExtractEquiJoinKeys(_, _, _, _, _, left, right, hint) if hint == JoinHint.NONE =>
      val built = Seq(left -> canBuildLeft(j), right -> canBuildRight(j)).filter(_._2).map(_._1)
      val candidates = for {
        side @ SideOfFiles(filter, files, used) <- built.sortBy(_.stats.sizeInBytes)
        other = bytesOf(if (side eq left) right else left)
        seconds = (patience * other.toDouble / Speed).min(MostPatience)
        if seconds >= LeastPatience && Seq(left, right).forall(isLarge)
        if other >= BigInt(files.location.sizeInBytes) * MuchLarger
        if isLikelySelective(filter.condition) && once(filter, isCounted)
      } yield (filter, files, used, seconds)
      candidates.headOption.flatMap { case (filter, files, used, seconds) =>
        count(filter, files, used, seconds).map(s => sized(j, filter, SizedFilter(filter, used, s)))
      }.getOrElse(j)
  }

  private def count(
      filter: Filter,
      files: HadoopFsRelation,
      used: Seq[Attribute],
      seconds: Double
  ): Option[ScanSize] = {
    val rows = conf.autoBroadcastJoinThreshold / EstimationUtils.getSizePerRow(used).toLong
    scanOf(filter, files, used).filter(ScanCount(_, rows, seconds))
      .flatMap(_ => new KnownSizes(conf).of(filter, files))
  }

  private def isLarge(side: LogicalPlan) =
    side.stats.sizeInBytes > conf.autoBroadcastJoinThreshold

  private def bytesOf(side: LogicalPlan) = side.collectLeaves().map(_.stats.sizeInBytes).sum

  private def canBuildLeft(join: Join) = join.joinType match {
    case _: InnerLike | RightOuter => true
    case _                         => false
  }

  private def canBuildRight(join: Join) = join.joinType match {
    case _: InnerLike | LeftOuter | LeftExistence(_) => true
    case _                                           => false
  }

  /** The scan of a filter's files, by the part of its condition that needs no subquery. */
  private def scanOf(
      filter: Filter,
      files: HadoopFsRelation,
      used: Seq[Attribute]
  ): Option[LateScan] = {
    val conditions = splitConjunctivePredicates(filter.condition)
      .filterNot(_.exists(_.isInstanceOf[PlanExpression[_]]))
    for {
      condition <- conditions.reduceOption(And)
      planned <- Try(
        files.sparkSession.sessionState.planner
          .plan(Project(used, Filter(condition, filter.child))).next()
      ).toOption
      scan <- LateScans(planned).collectFirst { case s: LateScan => s }
    } yield scan
  }

  /** Matches a Filter over files whose rows may be counted: no scan of ours asks for nulls alone.
    */
  private object FilteredFiles {
    def unapply(plan: LogicalPlan): Option[(Filter, HadoopFsRelation)] = plan match {
      case _: SizedFilter => None
      case f @ Filter(condition, files: LogicalRelation)
          if !splitConjunctivePredicates(condition).forall(_.isInstanceOf[IsNotNull]) =>
        Some(files.relation).collect {
          case r: HadoopFsRelation if SelectiveFormat.of(r.fileFormat).exists(_.whyNot.isEmpty) =>
            (f, r)
        }
      case _ => None
    }
  }

  /** Matches a side of a join that is a filtered scan, and the columns that are used of it. */
  private object SideOfFiles {
    def unapply(side: LogicalPlan): Option[(Filter, HadoopFsRelation, Seq[Attribute])] =
      side match {
        case p @ Project(_, FilteredFiles(filter, files)) =>
          Some((filter, files, p.references.toSeq))
        case FilteredFiles(filter, files) => Some((filter, files, filter.output))
        case _                            => None
      }
  }
}
