// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull}
import org.apache.spark.sql.catalyst.optimizer.BuildLeft
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.decision.{Decision, Declined, Reason, Reasons}
import latebloom.joinkeys.{JoinFilter, JoinFiltersInPlan}
import latebloom.line.Compat.when
import latebloom.line.FileScans
import latebloom.scan.SelectiveFormat
import latebloom.toprows.TopRowsInPlan

/** Turns Filter over a scan of Parquet or ORC files into a [[LateScan]], under a Filter by the
  * remaining conjuncts, if any.
  *
  * The rule decides about every scan once and records the decision on its node: a prepared plan
  * keeps its decisions, although adaptive execution applies the rule to its parts again.
  */
object LateScans extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    if (plan.exists(isUndecided)) {
      val settings = LateBloomConf.settings(conf)
      val rewritten = plan.transformDown {
        case limit @ Limit(wanted, found) if isLimited(wanted, found.scan, settings) =>
          val child = rewrite(found, allRows.copy(wanted = Some(wanted)), settings)
          limit.withNewChildren(limit.children.map(replaced(_, found.root, child)))
        case Aggregates(a) if settings.aggregateEnabled && isUndecided(a.found.scan) =>
          aggregated(a, settings)
        case consumer @ Consumer(found, distinct) if isUndecided(found.scan) =>
          val ignoresDuplicates = distinct && settings.aggregateEnabled
          val above =
            allRows.copy(consumer = Some(consumer.expressions), distinct = ignoresDuplicates)
          consumer.withNewChildren(Seq(rewrite(found, above, settings)))
        case FilteredScan(found) if isUndecided(found.scan) => rewrite(found, allRows, settings)
      }
      rewritten.foreach {
        case FilteredScan.Scan(scan) if isUndecided(scan) =>
          readable(scan, settings)
            .fold(Some(_), supported => when(supported)(Reasons.noFilter))
            .foreach(why => Decision.record(scan, Declined(why)))
        case _ =>
      }
      rewritten
    } else {
      plan
    }

  /** Matches a LIMIT over a scan, with filters or without, or over joins that stream its rows. */
  private object Limit {
    def unapply(plan: SparkPlan): Option[(Int, FilteredScan)] = plan match {
      case limit: CollectLimitExec => below(limit.child).map(limit.limit -> _)
      case limit: LocalLimitExec   => below(limit.child).map(limit.limit -> _)
      case _                       => None
    }

    @tailrec
    private def below(plan: SparkPlan): Option[FilteredScan] = plan match {
      case FilteredScan.OrUnfiltered(found)                         => Some(found)
      case ProjectExec(list, child) if list.forall(_.deterministic) => below(child)
      case FilterExec(_, child)                                     => below(child)
      case join: BroadcastHashJoinExec                              =>
        below(if (join.buildSide == BuildLeft) join.right else join.left)
      case _ => None
    }
  }

  /** What the node above a scan asks of it.
    *
    * @param consumer
    *   its expressions, if it passes no column on
    * @param wanted
    *   how many rows it takes, if it is a LIMIT
    * @param answers
    *   whether what files say of their row groups may answer it
    * @param distinct
    *   whether it ignores duplicates
    */
  final private case class Above(
      consumer: Option[Seq[Expression]],
      wanted: Option[Int],
      answers: Boolean,
      distinct: Boolean
  )

  private val allRows = Above(None, None, answers = false, distinct = false)

  private def aggregated(a: Aggregates, settings: LateBloomConf.Settings): SparkPlan = {
    val above = allRows.copy(consumer = Some(a.aggregate.expressions), answers = true)
    val child = rewrite(a.found, above, settings)
    a.over(child).getOrElse(a.aggregate.withNewChildren(Seq(child)))
  }

  private def isLimited(wanted: Int, scan: FileSourceScanExec, settings: LateBloomConf.Settings) =
    isUndecided(scan) && settings.limitEnabled && wanted > 0 && wanted <= settings.topK.maxRows &&
      scan.relation.location.sizeInBytes >= settings.topK.minScanBytes

  private def replaced(plan: SparkPlan, part: SparkPlan, by: SparkPlan): SparkPlan =
    if (plan eq part) by
    else plan.withNewChildren(plan.children.map(replaced(_, part, by)))

  /** Matches an aggregate over a filtered scan, or over any scan if duplicates change nothing: it
    * passes no column on.
    */
  private object Consumer {
    def unapply(plan: SparkPlan): Option[(FilteredScan, Boolean)] = plan match {
      case DistinctInput(found)         => Some(found -> true)
      case aggregate: BaseAggregateExec => FilteredScan.unapply(aggregate.child).map(_ -> false)
      case _                            => None
    }
  }

  private def isUndecided(plan: SparkPlan): Boolean = plan match {
    case FilteredScan.Scan(scan) => Decision.of(scan).isEmpty
    case _                       => false
  }

  private def rewrite(
      found: FilteredScan,
      above: Above,
      settings: LateBloomConf.Settings
  ): SparkPlan =
    readable(found.scan, settings) match {
      case Left(why) =>
        Decision.record(found.scan, Declined(why))
        sparks(found.root)
      case Right(false) => sparks(found.root)
      case Right(true)  => selective(found, above, settings)
    }

  /** The plan without what only a scan of ours can do. */
  private def sparks(plan: SparkPlan): SparkPlan =
    TopRowsInPlan.removed(JoinFiltersInPlan.removed(plan))

  private def selective(
      found: FilteredScan,
      above: Above,
      settings: LateBloomConf.Settings
  ): SparkPlan = {
    val live = LiveScan.of(found)
    val (conjuncts, optional) = asked(live, above)
    val whyNot =
      if (LiveScan.isWithDeletedRows(found)) Some(Reasons.deltaDeletedRows)
      else if (above.answers && conjuncts.residual.isEmpty) None
      else if (live eq found) notSelective(conjuncts, optional)
      else None
    whyNot match {
      case Some(why) =>
        Decision.record(found.scan, Declined(why, conjuncts.residual))
        sparks(found.root)
      case None =>
        LatePlan
          .build(live, conjuncts.taken, optional, conjuncts.residual, above.consumer, settings)
    }
  }

  /** What a filtered scan may evaluate. */
  private def asked(live: FilteredScan, above: Above): (Conjuncts, LatePlan.Optional) = {
    val (joinFilters, rest) =
      JoinFiltersInPlan.split(live.scan.partitionFilters.filter(isOfJoin) ++ live.conjuncts)
    val (topRows, others) = TopRowsInPlan.split(rest)
    val conjuncts = Conjuncts.split(others, live.scan)
    val distinct = above.distinct && conjuncts.residual.isEmpty && topRows.isEmpty
    (conjuncts, LatePlan.Optional(joinFilters, topRows, above.wanted, distinct))
  }

  /** Why a scan of files stays as it is, whatever is above it; None if it does not. */
  private[rules] def whyNot(plan: SparkPlan): Option[Reason] = {
    val settings = LateBloomConf.settings(conf)
    plan.collectFirst { case FilteredScan(filtered) => filtered } match {
      case None           => Some(Reasons.noFilter)
      case Some(filtered) =>
        readable(filtered.scan, settings) match {
          case Left(why) => Some(why)
          case Right(_)  =>
            val (conjuncts, optional) = asked(LiveScan.of(filtered), allRows)
            notSelective(conjuncts, optional)
        }
    }
  }

  private def isOfJoin(filter: Expression) = filter.isInstanceOf[JoinFilter]

  /** Whether the files are Parquet or ORC; Left with the reason if LateBloom declines to read them.
    */
  private def readable(
      scan: FileSourceScanExec,
      settings: LateBloomConf.Settings
  ): Either[Reason, Boolean] =
    SelectiveFormat.of(scan.relation.fileFormat) match {
      case None         => Right(false)
      case Some(format) =>
        for {
          _ <- format.whyNot.toLeft(())
          _ <- format.table.flatMap(_.whyNot(scan)).toLeft(())
          _ <- switchedOn(settings)
          _ <- batch(scan)
          _ <- vectorized(scan, format)
          _ <- strict(scan)
        } yield true
    }

  private def switchedOn(settings: LateBloomConf.Settings): Either[Reason, Unit] =
    if (!settings.enabled) {
      Left(Reasons.disabled)
    } else if (!settings.scanEnabled) {
      Left(Reasons.scanDisabled)
    } else {
      Right(())
    }

  private def batch(scan: FileSourceScanExec): Either[Reason, Unit] =
    Either.cond(!FileScans.isStreaming(scan), (), Reasons.streaming)

  private def vectorized(
      scan: FileSourceScanExec,
      format: SelectiveFormat
  ): Either[Reason, Unit] = {
    val rowByRow = (scan.requiredSchema ++ scan.relation.partitionSchema)
      .filterNot(f => format.inBatches(conf, f.dataType))
    if (!format.isVectorized(conf)) {
      Left(Reasons.vectorizedReaderOff(format.vectorized))
    } else {
      val names = rowByRow.map(_.name)
      Either.cond(
        rowByRow.isEmpty,
        (),
        Reasons.schemaNotVectorized(names, format.nestedVectorized)
      )
    }
  }

  private def strict(scan: FileSourceScanExec): Either[Reason, Unit] = {
    val options = new FileSourceOptions(scan.relation.options)
    Either.cond(!options.ignoreCorruptFiles, (), Reasons.ignoreCorruptFiles)
  }

  private def notSelective(conjuncts: Conjuncts, optional: LatePlan.Optional): Option[Reason] =
    if (optional.nonEmpty) {
      None
    } else if (conjuncts.taken.isEmpty) {
      Some(Reasons.nothingPushable)
    } else {
      when(conjuncts.taken.forall(_.isInstanceOf[IsNotNull]))(Reasons.notSelective)
    }
}
