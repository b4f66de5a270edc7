// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.decision.{Decision, Declined, Reason, Reasons}
import latebloom.joinkeys.{JoinFilter, JoinFiltersInPlan}
import latebloom.line.Compat.when
import latebloom.line.FileScans
import latebloom.scan.SelectiveFormat

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
        case consumer @ Consumer(found) if isUndecided(found.scan) =>
          consumer.withNewChildren(Seq(rewrite(found, Some(consumer.expressions), settings)))
        case FilteredScan(found) if isUndecided(found.scan) => rewrite(found, None, settings)
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

  /** Matches an aggregate over a filtered scan: it passes no column on. */
  private object Consumer {
    def unapply(plan: SparkPlan): Option[FilteredScan] = plan match {
      case aggregate: BaseAggregateExec => FilteredScan.unapply(aggregate.child)
      case _                            => None
    }
  }

  private def isUndecided(plan: SparkPlan): Boolean = plan match {
    case FilteredScan.Scan(scan) => Decision.of(scan).isEmpty
    case _                       => false
  }

  private def rewrite(
      found: FilteredScan,
      consumer: Option[Seq[Expression]],
      settings: LateBloomConf.Settings
  ): SparkPlan =
    readable(found.scan, settings) match {
      case Left(why) =>
        Decision.record(found.scan, Declined(why))
        JoinFiltersInPlan.removed(found.root)
      case Right(false) => JoinFiltersInPlan.removed(found.root)
      case Right(true)  => selective(found, consumer, settings)
    }

  private def selective(
      found: FilteredScan,
      consumer: Option[Seq[Expression]],
      settings: LateBloomConf.Settings
  ): SparkPlan = {
    val live = LiveScan.of(found)
    val (joinFilters, others) =
      JoinFiltersInPlan.split(found.scan.partitionFilters.filter(isOfJoin) ++ live.conjuncts)
    val conjuncts = Conjuncts.split(others, found.scan)
    val whyNot =
      if (LiveScan.isWithDeletedRows(found)) Some(Reasons.deltaDeletedRows)
      else if (live eq found) notSelective(conjuncts, joinFilters)
      else None
    whyNot match {
      case Some(why) =>
        Decision.record(found.scan, Declined(why, conjuncts.residual))
        JoinFiltersInPlan.removed(found.root)
      case None =>
        LatePlan
          .build(live, conjuncts.taken, joinFilters, conjuncts.residual, consumer, settings)
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

  private def notSelective(conjuncts: Conjuncts, joinFilters: Seq[JoinFilter]): Option[Reason] =
    if (joinFilters.nonEmpty) {
      None
    } else if (conjuncts.taken.isEmpty) {
      Some(Reasons.nothingPushable)
    } else {
      when(conjuncts.taken.forall(_.isInstanceOf[IsNotNull]))(Reasons.notSelective)
    }
}
