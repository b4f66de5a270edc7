// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import scala.util.control.NoStackTrace

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, QueryStageExec}
import org.apache.spark.sql.execution.exchange.{Exchange, ReusedExchangeExec}

import latebloom.read.ScanFilter.OptionalFilter
import latebloom.read.task.Counter

/** What became of the rows of a scan that ran.
  *
  * @param read
  *   rows of its files
  * @param passed
  *   rows that its filters passed
  */
final private[joinkeys] case class PassRate(read: Long, passed: Long) {

  /** Whether its keys are most likely all keys that others have, and too many to try. */
  def isNearlyAll: Boolean =
    passed >= PassRate.ManyRows && passed > PassRate.NearlyAll * read

  def percent: Int = (100.0 * passed / read).toInt
}

private[joinkeys] object PassRate {

  /** Gathering fewer keys costs little. */
  private val ManyRows = 1L << 16

  /** The other side has about as many rows for which the filter would do nothing. */
  private val NearlyAll = OptionalFilter.MOST_PASSING

  /** @throws KeysDoNotPay
    *   if a stage has given nearly all rows of a scan, and many
    */
  def check(stage: SparkPlan): Unit =
    of(stage).filter(_.isNearlyAll).foreach(rate => throw new KeysDoNotPay(rate))

  /** The pass rate of the one scan that a stage consists of, once the stage has run; None if it has
    * not, or does more than filter a scan.
    */
  private def of(plan: SparkPlan): Option[PassRate] = plan match {
    case AQEShuffleReadExec(child, _)                  => of(child)
    case stage: QueryStageExec if stage.isMaterialized => inStage(stage.plan)
    case _                                             => None
  }

  private def inStage(plan: SparkPlan): Option[PassRate] = plan match {
    case reused: ReusedExchangeExec => inStage(reused.child)
    case Counting(scan)             => ofScan(scan)
    case filter: FilterExec         => under(filter)
    case _: Exchange | _: ProjectExec | _: WholeStageCodegenExec | _: InputAdapter |
        _: ColumnarToRowExec =>
      inStage(plan.children.head)
    case _ => None
  }

  /** Matches a scan of ours: it counts the rows that it drops. */
  private object Counting {
    def unapply(plan: SparkPlan): Option[FileSourceScanExec] = Some(plan).collect {
      case scan: FileSourceScanExec if scan.metrics.contains(Counter.ROWS_FILTERED.key) => scan
    }
  }

  private def ofScan(scan: FileSourceScanExec): Option[PassRate] = {
    def counted(counters: Counter*) =
      counters.map(c => scan.longMetric(c.key).value).filter(_ > 0).sum
    val passed = scan.longMetric("numOutputRows").value
    // The rows of files and row groups that are not read are not counted.
    if (counted(Counter.ROW_GROUPS_PRUNED, Counter.FILES_EXCLUDED) > 0) None
    else {
      val dropped = counted(Counter.ROWS_FILTERED, Counter.ROWS_PRUNED, Counter.ROWS_DELETED)
      Some(PassRate(passed + dropped, passed))
    }
  }

  private def under(filter: FilterExec): Option[PassRate] = {
    def scanned(plan: SparkPlan): Option[FileSourceScanExec] = plan match {
      case scan: FileSourceScanExec                                => Some(scan)
      case _: ProjectExec | _: InputAdapter | _: ColumnarToRowExec => scanned(plan.children.head)
      case _                                                       => None
    }
    val passed = filter.longMetric("numOutputRows").value
    scanned(filter.child).flatMap {
      case Counting(ours) => ofScan(ours).map(_.copy(passed = passed))
      case scan           => Some(PassRate(scan.longMetric("numOutputRows").value, passed))
    }
  }
}

/** The keys of a join would not filter enough to be worth gathering. */
final private[joinkeys] class KeysDoNotPay(val rate: PassRate)
    extends RuntimeException(s"the other side keeps ${rate.percent} % of its rows")
    with NoStackTrace

private[joinkeys] object KeysDoNotPay {
  def unapply(e: Throwable): Option[KeysDoNotPay] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).take(20)
      .collectFirst { case found: KeysDoNotPay => found }
}
