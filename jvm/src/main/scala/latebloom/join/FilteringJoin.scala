// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.optimizer._
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.internal.SQLConf

import latebloom.compile.KeyRange
import latebloom.joinkeys.JoinFilter
import latebloom.line.JoinChoice

/** A join on equal keys, with the keys that Spark will plan, or on ranges of values.
  *
  * @param leftKeys
  *   none for a join on ranges alone
  */
final private[join] case class FilteringJoin(
    join: Join,
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression]
) extends JoinChoice {

  /** The pairs of equal keys, the key of the side `own` first. */
  def pairs(own: LogicalPlan): Seq[(Expression, Expression)] =
    if (own eq join.left) leftKeys.zip(rightKeys) else rightKeys.zip(leftKeys)

  def keys(side: LogicalPlan): Seq[Expression] = if (side eq join.left) leftKeys else rightKeys

  def other(side: LogicalPlan): LogicalPlan = if (side eq join.left) join.right else join.left

  /** Expressions of `own` that the join compares with others, and the ranges that each row of the
    * other side lets them lie in.
    */
  def ranges(own: LogicalPlan): Seq[(Expression, KeyRange)] = {
    val bounds = FilteringJoin.bounds(join, own, other(own))
    bounds.map(_._1).foldLeft(Seq.empty[Expression]) { (distinct, e) =>
      if (distinct.exists(_.semanticEquals(e))) distinct else distinct :+ e
    }.map { e =>
      val (greatest, least) = bounds.filter(_._1.semanticEquals(e)).partition(_._3)
      e -> KeyRange(least.map(_._2).take(1), greatest.map(_._2).take(1))
    }
  }

  /** Whether a row of `side` without a match on the other may be dropped before the join. */
  def mayDrop(side: LogicalPlan): Boolean = join.joinType match {
    case _: InnerLike | LeftSemi                 => true
    case RightOuter                              => side eq join.left
    case LeftOuter | LeftAnti | ExistenceJoin(_) => side eq join.right
    case _                                       => false
  }

  /** Whether the join may pad `side` with nulls. */
  def mayPad(side: LogicalPlan): Boolean = join.joinType match {
    case _: InnerLike | LeftSemi | LeftAnti | ExistenceJoin(_) => false
    case LeftOuter                                             => side eq join.right
    case RightOuter                                            => side eq join.left
    case other => !isLeftSingle(other) || (side eq join.right)
  }

  /** How the rows of `side` reach the join, as far as known before it runs. */
  def means(side: LogicalPlan, conf: SQLConf): JoinFilter.Means =
    if (leftKeys.nonEmpty) meansOfKeys(side, conf)
    // A nested loop join broadcasts its smaller side, if it may, and always one of them.
    else if (side.stats.sizeInBytes <= conf.autoBroadcastJoinThreshold) JoinFilter.Broadcast
    else JoinFilter.Rescan

  private def meansOfKeys(side: LogicalPlan, conf: SQLConf): JoinFilter.Means = {
    val hint = join.hint
    val hashable = isHashable(leftKeys, rightKeys)
    def broadcast(hintOnly: Boolean) =
      if (hashable) broadcastSide(join, hintOnly, conf) else None
    val shuffled = hintToSortMergeJoin(hint) ||
      hashedSide(join, hintOnly = true, conf).isDefined
    broadcast(hintOnly = true).orElse(if (shuffled) None else broadcast(hintOnly = false)) match {
      case _ if !conf.exchangeReuseEnabled                         => JoinFilter.Rescan
      case Some(BuildLeft) if side eq join.left                    => JoinFilter.Broadcast
      case Some(BuildRight) if side eq join.right                  => JoinFilter.Broadcast
      case Some(_)                                                 => JoinFilter.Rescan
      case None if isCached(side) && conf.adaptiveExecutionEnabled => JoinFilter.Rescan
      case None                                                    => JoinFilter.Shuffle
    }
  }

  /** Adaptive execution shuffles rows that Spark caches again rather than reuse the exchange. */
  private def isCached(side: LogicalPlan) = side.exists(_.isInstanceOf[InMemoryRelation])
}

private[join] object FilteringJoin extends PredicateHelper {
  def unapply(plan: LogicalPlan): Option[FilteringJoin] = plan match {
    case j @ ExtractEquiJoinKeys(_, leftKeys, rightKeys, _, _, _, _, _) =>
      Some(FilteringJoin(j, leftKeys, rightKeys))
    case j: Join if bounds(j, j.left, j.right).nonEmpty => Some(FilteringJoin(j, Nil, Nil))
    case _                                              => None
  }

  /** The comparisons in a join's condition of an expression of one side with one of the other, and
    * whether the latter is the greater one. A bound may itself be allowed or not.
    */
  private def bounds(
      join: Join,
      own: LogicalPlan,
      other: LogicalPlan
  ): Seq[(Expression, Expression, Boolean)] = {
    def of(less: Expression, greater: Expression) =
      if (isOf(less, own) && isOf(greater, other)) Some((less, greater, true))
      else if (isOf(greater, own) && isOf(less, other)) Some((greater, less, false))
      else None
    join.condition.toSeq.flatMap(splitConjunctivePredicates).flatMap {
      case LessThan(l, r)           => of(l, r)
      case LessThanOrEqual(l, r)    => of(l, r)
      case GreaterThan(l, r)        => of(r, l)
      case GreaterThanOrEqual(l, r) => of(r, l)
      case _                        => None
    }
  }

  private def isOf(e: Expression, side: LogicalPlan) =
    e.deterministic && e.references.nonEmpty && e.references.subsetOf(side.outputSet) &&
      !e.exists(_.isInstanceOf[PlanExpression[_]])
}
