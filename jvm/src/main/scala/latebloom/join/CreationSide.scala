// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import latebloom.compile.Failure
import latebloom.joinkeys.JoinFilter

/** Where the keys for a join filter are had: one side of a join, that of the filter or one below
  * it.
  *
  * @param wanted
  *   the key, on the output of `side`
  * @param hashed
  *   whether it is a hash of several columns
  */
final private[join] case class KeySource(
    join: EquiJoin,
    side: LogicalPlan,
    wanted: Expression,
    hashed: Boolean,
    means: JoinFilter.Means
) {
  lazy val leaves: Seq[LogicalPlan] = side.collectLeaves()

  /** Bytes that are read for it, by the statistics of its leaves. */
  lazy val bytes: BigInt = leaves.map(_.stats.sizeInBytes).sum

  def isSame(that: KeySource): Boolean =
    (side eq that.side) && means == that.means && wanted.semanticEquals(that.wanted)
}

/** Finds the sides of joins that have all the values which a key can have, and perhaps more.
  *
  * The claim, for each step down: for every row above whose key is not null there is a row below
  * that has the same key. A null is no key, since it is equal to nothing (of a null-safe equality
  * Spark makes two keys that are never null). By node:
  *
  *   - `Project`, of deterministic expressions: the rows are those below, the key with the
  *     expressions put in for their names is the same.
  *   - `Filter`: the rows are some of those below.
  *   - `Aggregate`: the key is computed of columns that are grouped by, and each group has a row
  *     below with an equal value. That is the same key only if the key cannot tell equal values
  *     apart ([[EqualValues]]): a group of -0.0 has the value 0.0.
  *   - `Join`, the side that the key is of: each row has a row of that side in it, or, where the
  *     join pads that side, nulls in place of one. Such a row has no key only if the key of nulls
  *     is null, which is found out by evaluating it; `coalesce(b.x, 0)` has one that the side below
  *     may not have.
  *   - `Join`, what it equates with the key: where it drops rows of a side that have no match, a
  *     key that is the join's own is, for each row that it gives, the same as its partner's (equal
  *     join keys are the same: see [[ApplicationSide]]). Padded rows as above.
  *
  * Errors: a side below has rows that the nodes above it drop, so that a key which may fail is only
  * taken at the join itself, which evaluates it on the same rows. What still fails, since the side
  * is evaluated at another time or in another order, is no filter ([[KeysSubqueryExec]]).
  */
private[join] object CreationSide extends AliasHelper with PredicateHelper {

  /** All of them, for the key `wanted` of `side`, that of the join itself first. */
  def sources(
      join: EquiJoin,
      side: LogicalPlan,
      wanted: Expression,
      hashed: Boolean,
      conf: SQLConf
  ): Seq[KeySource] = {
    val below = if (Failure.mayFail(wanted)) Nil else new Below(hashed, conf).from(side, wanted)
    KeySource(join, side, wanted, hashed, join.means(side, conf)) +: below
  }

  final private class Below(hashed: Boolean, conf: SQLConf) {

    def from(plan: LogicalPlan, key: Expression): Seq[KeySource] = plan match {
      case p: Project if p.projectList.forall(_.deterministic) =>
        from(p.child, replaceAlias(key, getAliasMap(p)))
      case f: Filter    => from(f.child, key)
      case a: Aggregate =>
        val inner = replaceAlias(key, getAliasMap(a))
        val groups = AttributeSet(a.groupingExpressions.collect { case c: Attribute => c })
        if (inner.references.subsetOf(groups) && !EqualValues.toldApartBy(inner)) {
          from(a.child, inner)
        } else {
          Nil
        }
      case EquiJoin(j) =>
        for {
          own <- Seq(j.join.left, j.join.right)
          if key.references.subsetOf(own.outputSet)
          if !j.mayPad(own) || isNullOfNulls(key)
          source <- side(j, own, key) ++ equated(j, own, key)
        } yield source
      case _ => Nil
    }

    /** A key that became one which may fail, by what it is made of, goes no further. */
    private def side(j: EquiJoin, own: LogicalPlan, key: Expression): Seq[KeySource] =
      if (Failure.mayFail(key)) Nil
      else KeySource(j, own, key, hashed, j.means(own, conf)) +: from(own, key)

    /** A join that drops what has no match equates its keys for the rows that it gives. */
    private def equated(j: EquiJoin, own: LogicalPlan, key: Expression): Seq[KeySource] =
      j.join.joinType match {
        case LeftAnti | ExistenceJoin(_) => Nil
        case _ if !j.mayDrop(own)        => Nil
        case _                           =>
          j.pairs(own)
            .collect { case (mine, theirs) if mine.semanticEquals(key) => theirs }
            .flatMap(side(j, j.other(own), _))
      }

    /** Whether a row of nulls has no key. One hash of several columns is a key even of nulls, but a
      * row that has null for one of them joins with nothing.
      */
    private def isNullOfNulls(key: Expression): Boolean = key match {
      case hash: XxHash64 if hashed => hash.children.exists(isNull)
      case other                    => isNull(other)
    }

    private def isNull(key: Expression): Boolean = {
      val nulls = key.transform { case a: Attribute => Literal(null, a.dataType) }
      key.deterministic && !nulls.exists(_.isInstanceOf[Unevaluable]) &&
      Try(nulls.eval()).toOption.contains(null)
    }
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
      case r: LogicalRelation => r.relation.isInstanceOf[HadoopFsRelation]
      case _: LocalRelation | _: Range | _: Join | _: Union           => true
      case _: Project | _: Filter | _: Sort | _: RepartitionOperation => true
      case a: Aggregate                                               =>
        a.groupingExpressions.forall(e => isOneValue(e.dataType)) &&
        !a.aggregateExpressions.exists(_.exists(isInexact))
      case _ => false
    }
    !exact || !node.expressions.forall(e => e.deterministic && subqueries(e).forall(isRepeatable))
  }

  /** The plans of subqueries, but for those of join filters: these keep all rows that matter. */
  private def subqueries(e: Expression): Seq[LogicalPlan] = e match {
    case _: JoinFilter         => Nil
    case s: SubqueryExpression => s.plan +: s.children.flatMap(subqueries)
    case other                 => other.children.flatMap(subqueries)
  }

  /** Whether equal values have one form in a group, whichever came first: of the equal texts of a
    * collation a group has any. Floating-point ones are normalised.
    */
  private def isOneValue(dataType: DataType): Boolean =
    EqualValues.areSame(dataType) || dataType == FloatType || dataType == DoubleType

  /** Whether the result depends on the order of the rows, which differs from run to run: sums of
    * floating-point numbers do, and averages that Spark makes of such sums; sums of decimals that
    * have no room to hold ten thousand million of them; the least of values that are equal without
    * being the same.
    */
  private def isInexact(e: Expression): Boolean = e match {
    case a: AggregateFunction =>
      val exact = a match {
        case _: Count        => true
        case _: Min | _: Max => EqualValues.areSame(a.dataType)
        case Sum(of, _)      => isExactSum(of.dataType)
        case Average(of, _)  => of.dataType.isInstanceOf[DecimalType] && isExactSum(of.dataType)
        case _               => false
      }
      !exact
    case _ => false
  }

  private def isExactSum(of: DataType): Boolean = of match {
    case d: DecimalType         => d.precision <= DecimalType.MAX_PRECISION - 10
    case DoubleType | FloatType => false
    case _                      => true
  }
}
