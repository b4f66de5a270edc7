// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DoubleType, FloatType}

/** Where the keys for a join filter are had: one side of a join, that of the filter or one below
  * it.
  *
  * @param wanted
  *   the key, on the output of `side`
  */
final private[join] case class KeySource(
    join: EquiJoin,
    side: LogicalPlan,
    wanted: Expression,
    means: JoinFilter.Means
) {

  /** Bytes that are read for it, by the statistics of its leaves. */
  def bytes: BigInt = side.collectLeaves().map(_.stats.sizeInBytes).sum

  def isSame(that: KeySource): Boolean =
    (side eq that.side) && means == that.means && wanted.semanticEquals(that.wanted)
}

/** Finds the sides of joins that have all the values which a key can have, and perhaps more. */
private[join] object CreationSide extends AliasHelper with PredicateHelper {

  /** All of them, for the key `wanted` of `side`, that of the join itself first. */
  def sources(
      join: EquiJoin,
      side: LogicalPlan,
      wanted: Expression,
      conf: SQLConf
  ): Seq[KeySource] =
    KeySource(join, side, wanted, join.means(side, conf)) +: below(side, wanted, conf)

  private def below(plan: LogicalPlan, key: Expression, conf: SQLConf): Seq[KeySource] =
    plan match {
      case p: Project if p.projectList.forall(_.deterministic) =>
        below(p.child, replaceAlias(key, getAliasMap(p)), conf)
      case f: Filter    => below(f.child, key, conf)
      case a: Aggregate =>
        val aliases = getAliasMap(a)
        val inner = replaceAlias(key, aliases)
        if (inner.references.subsetOf(a.child.outputSet)) below(a.child, inner, conf) else Nil
      case EquiJoin(j) =>
        Seq(j.join.left, j.join.right).flatMap { own =>
          if (key.references.subsetOf(own.outputSet)) {
            sources(j, own, key, conf) ++ equated(j, own, key, conf)
          } else {
            Nil
          }
        }
      case _ => Nil
    }

  /** A join that drops what has no match equates its keys for the rows that it gives. */
  private def equated(
      j: EquiJoin,
      own: LogicalPlan,
      key: Expression,
      conf: SQLConf
  ): Seq[KeySource] =
    if (
      j.mayDrop(own) && j.join.joinType != LeftAnti && !j.join.joinType.isInstanceOf[ExistenceJoin]
    ) {
      j.pairs(own)
        .collect { case (mine, theirs) if mine.semanticEquals(key) => theirs }
        .flatMap(sources(j, j.other(own), _, conf))
    } else {
      Nil
    }

  /** Whether the plan most likely gives a small part of the keys that there are.
    *
    * @param isFiltered
    *   whether a scan gets the keys of another join as a filter
    */
  def isSelective(plan: LogicalPlan, isFiltered: LogicalPlan => Boolean): Boolean = {
    def selects(plan: LogicalPlan): Boolean = plan match {
      case Filter(condition, child) => isLikelySelective(condition) || selects(child)
      case Join(l, r, _: InnerLike | LeftSemi, _, _)                 => selects(l) || selects(r)
      case Join(l, _, LeftOuter | LeftAnti | ExistenceJoin(_), _, _) => selects(l)
      case Join(_, r, RightOuter, _, _)                              => selects(r)
      case u: Union                                                  => u.children.forall(selects)
      case _: LocalRelation                                          => true
      case scan: LogicalRelation                                     => isFiltered(scan)
      case unary: UnaryNode                                          => selects(unary.child)
      case _                                                         => false
    }
    selects(plan)
  }

  /** Whether evaluating the plan again gives the same rows. Spark does not promise to reuse an
    * exchange, so the keys may come from an evaluation of their own.
    */
  def isRepeatable(plan: LogicalPlan): Boolean = !plan.exists { node =>
    val exact = node match {
      case LogicalRelation(_: HadoopFsRelation, _, _, _, _)           => true
      case _: LocalRelation | _: Range | _: Join | _: Union           => true
      case _: Project | _: Filter | _: Sort | _: RepartitionOperation => true
      case a: Aggregate => !a.aggregateExpressions.exists(_.exists(isInexact))
      case _            => false
    }
    !exact || !node.expressions.forall(e => e.deterministic && subqueries(e).forall(isRepeatable))
  }

  /** The plans of subqueries, but for those of join filters: these keep all rows that matter. */
  private def subqueries(e: Expression): Seq[LogicalPlan] = e match {
    case _: JoinFilter         => Nil
    case s: SubqueryExpression => s.plan +: s.children.flatMap(subqueries)
    case other                 => other.children.flatMap(subqueries)
  }

  /** Sums of floating-point numbers depend on their order, which differs from run to run. */
  private def isInexact(e: Expression): Boolean = e match {
    case a: AggregateFunction =>
      val exact = a match {
        case _: Count | _: Min | _: Max => true
        case _: Sum | _: Average        =>
          !a.children.map(_.dataType).exists(t => t == DoubleType || t == FloatType)
        case _ => false
      }
      !exact
    case _ => false
  }
}
