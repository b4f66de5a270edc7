// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical._

import latebloom.bloom.KeyLimits
import latebloom.compile.{Failure, JoinKeys}
import latebloom.joinkeys.{
  BroadcastKeys,
  GatheredKeys,
  JoinFilter,
  KeysGatheredElsewhere,
  OneGathering,
  ShuffledSide
}

/** The plan with a Filter over each scan that has planned filters. The scan's copies in the
  * creation sides of other filters get it, too, so that both have the same plan and Spark executes
  * their exchange once.
  *
  * @param most
  *   the limits of any filter
  */
final private[join] class FilteredPlan(plan: LogicalPlan, filters: PlannedFilters, most: KeyLimits)
    extends PredicateHelper {
  import FilteredPlan._

  def result: LogicalPlan = filtered(plan, whole = true)

  /** @param whole
    *   whether it is the query's whole plan, whose filters contain the subqueries of their keys
    */
  private def filtered(part: LogicalPlan, whole: Boolean): LogicalPlan = part.transformUp {
    case both @ Filter(condition, child @ Filter(ours, scan)) if filters.on(scan).nonEmpty =>
      val keys = splitConjunctivePredicates(ours).collect {
        case f: JoinFilter if !f.onlyFiles => f.key
      }
      val (same, others) =
        splitConjunctivePredicates(condition).partition(isSparksFilterOn(_, keys))
      if (same.isEmpty || joinsMayFail) both
      else others.reduceOption(And).fold[LogicalPlan](child)(Filter(_, child))
    case scan if filters.on(scan).nonEmpty =>
      val behind = filters.bytesBehind(scan).min(Long.MaxValue).toLong
      val conditions = filters.on(scan).map { p =>
        val gathering = gatheringOf(p.source)
        JoinFilter(
          p.target.key,
          if (whole) gathering.define() else gathering.refer,
          p.origin,
          gathering.keys,
          p.target.onlyFiles,
          behind
        )
      }
      Filter(conditions.reduce[Expression](And), scan)
  }

  /** Spark's own runtime filter on one of the keys has nothing left to drop. */
  private def isSparksFilterOn(e: Expression, keys: Seq[Expression]): Boolean = e match {
    case BloomFilterMightContain(_, XxHash64(Seq(key), _)) => keys.exists(_.semanticEquals(key))
    case _                                                 => false
  }

  /** Whether an expression may fail for rows below a join, or as its key. Spark's runtime filter
    * would drop some of those rows first. Ours does not guarantee that: a task skips it where most
    * rows pass, and there is none if gathering its keys fails. So Spark's filter stays.
    */
  private lazy val joinsMayFail: Boolean = {
    def within(part: LogicalPlan): Boolean = part match {
      case join: Join => join.exists(_.expressions.exists(mayFail))
      case other      => other.children.exists(within)
    }
    within(plan)
  }

  private val bySource = mutable.ArrayBuffer.empty[(KeySource, Gathering)]
  private val byPlan = mutable.HashMap.empty[GatheredKeys, Gathering]

  /** One gathering for all filters of one source, or of equal ones. */
  private def gatheringOf(source: KeySource): Gathering =
    bySource.collectFirst { case (s, g) if s.isSame(source) => g }.getOrElse {
      val side = filtered(source.side, whole = false)
      val joined = source.join.keys(source.side)
      val columns = side.output
      val keys = new GatheredKeys((
        source.means,
        source.hashed,
        QueryPlan.normalizeExpressions(source.wanted, columns),
        joined.map(QueryPlan.normalizeExpressions(_, columns)),
        side.canonicalized
      ))
      val gathering =
        byPlan.getOrElseUpdate(keys, new Gathering(keys, planOf(source, side, joined)))
      bySource += source -> gathering
      gathering
    }

  /** A filter as large as a part of what it can save reading, and with as many keys as a large scan
    * may have rows, of a byte each: more could not leave many out.
    */
  private def limitsOf(source: KeySource): KeyLimits = {
    val bytes = filters.of(source).map(_.target.bytes).max.min(Long.MaxValue).toLong
    new KeyLimits(
      most.exactKeys,
      (bytes / BytesPerByte).max(SmallFilter).min(most.maxBytes).toInt,
      bytes.max(FewKeys).min(most.maxKeys)
    )
  }

  private def planOf(source: KeySource, side: LogicalPlan, keys: Seq[Expression]): LogicalPlan = {
    val limits = limitsOf(source)
    val gather =
      Alias(JoinKeys(source.wanted, limits, source.hashed).toAggregateExpression(), "keys")()
    source.means match {
      case JoinFilter.Broadcast =>
        val output = Seq(gather.toAttribute)
        BroadcastKeys(keys, source.wanted, source.hashed, limits, side, output)
      case JoinFilter.Shuffle =>
        OneGathering(Aggregate(Nil, Seq(gather), ShuffledSide(keys, side)))
      case JoinFilter.Rescan => OneGathering(Aggregate(Nil, Seq(gather), side))
    }
  }
}

private object FilteredPlan {

  /** Bytes to read for which a filter may have one. */
  private val BytesPerByte = 16L
  private val SmallFilter = 64L << 10
  private val FewKeys = 1L << 20

  /** Spark's runtime filters contain subqueries, which do not fail on rows. */
  private def mayFail(e: Expression): Boolean = e match {
    case And(left, right)                => mayFail(left) || mayFail(right)
    case BloomFilterMightContain(_, key) => Failure.mayFail(key)
    case other                           => Failure.mayFail(other)
  }

  /** The gathering of a source's keys, by a subquery that the plan contains once. */
  final private class Gathering(val keys: GatheredKeys, plan: LogicalPlan) {
    private var defined = false

    val refer: Expression = KeysGatheredElsewhere(keys)

    def define(): Expression =
      if (defined) {
        refer
      } else {
        defined = true
        ScalarSubquery(plan)
      }
  }
}
