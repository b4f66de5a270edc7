// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.LogicalRDD
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2ScanRelation, FileScan}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import latebloom.compile.Failure
import latebloom.joinkeys.JoinFilter
import latebloom.line.CachedRows
import latebloom.statistics.SizedFilter
import latebloom.tables.TableFormat

/** The source of a join filter's keys: one side of the filtering join or of a join below it.
  *
  * @param wanted
  *   the key, on the output of `side`
  * @param hashed
  *   whether it is a hash of several columns
  */
final private[join] case class KeySource(
    join: FilteringJoin,
    side: LogicalPlan,
    wanted: Expression,
    hashed: Boolean,
    means: JoinFilter.Means
) {
  lazy val leaves: Seq[LogicalPlan] = side.collectLeaves()

  /** Bytes that it reads, by the statistics of its leaves. */
  lazy val bytes: BigInt = leaves.map(_.stats.sizeInBytes).sum

  def isSame(that: KeySource): Boolean =
    (side eq that.side) && means == that.means && wanted.semanticEquals(that.wanted)
}

/** Finds the sides of joins that contain all possible values of a key, and perhaps more.
  *
  * The claim, for each step down: for every row above with a non-null key there is a row below with
  * the same key. A null is not a key, since it equals nothing (Spark turns a null-safe equality
  * into two keys that are never null). By node:
  *
  *   - `Project`: it has a row for each row below, and substituting the expressions for their names
  *     does not change the key if these are deterministic.
  *   - `Filter`: its rows are some of the rows below.
  *   - `Aggregate`: the key is computed from grouping columns, and each group has a row below with
  *     an equal value. The keys are identical only if the key cannot distinguish equal values
  *     ([[EqualValues]]): a group of -0.0 has the value 0.0.
  *   - `Join`, the key's own side: each row contains a row of that side or, where the join pads it,
  *     nulls instead. A padded row has no key only if the key of nulls is null, which evaluating it
  *     shows; `coalesce(b.x, 0)` has a key that the side below may lack.
  *   - `Join`, the side that it equates with the key: where the join drops unmatched rows of a
  *     side, its own key there is identical to its partner's in each output row (equal join keys
  *     are identical: see [[ApplicationSide]]). Padded rows as above.
  *
  * Errors: a side below has rows that the nodes above it drop, so a key that may fail is gathered
  * only at the join itself, which evaluates it on the same rows. If gathering still fails, since
  * the side is evaluated at another time or in another order, there is no filter
  * ([[KeysSubqueryExec]]).
  */
private[latebloom] object CreationSide extends AliasHelper with PredicateHelper {

  /** All sources for the key `wanted` of `side`, the join's own first. */
  def sources(
      join: FilteringJoin,
      side: LogicalPlan,
      wanted: Expression,
      hashed: Boolean,
      conf: SQLConf
  ): Seq[KeySource] = {
    val below =
      if (Failure.mayFail(wanted)) Nil else new Below(join, hashed, conf).from(side, wanted)
    KeySource(join, side, wanted, hashed, join.means(side, conf)) +: below
  }

  final private class Below(join: FilteringJoin, hashed: Boolean, conf: SQLConf) {

    def from(plan: LogicalPlan, key: Expression): Seq[KeySource] = plan match {
      case p: Project =>
        val inner = replaceAlias(key, getAliasMap(p))
        if (inner.deterministic) from(p.child, inner) else Nil
      case f: Filter    => from(f.child, key)
      case a: Aggregate =>
        val inner = replaceAlias(key, getAliasMap(a))
        val groups = AttributeSet(a.groupingExpressions.collect { case c: Attribute => c })
        if (inner.references.subsetOf(groups) && !EqualValues.toldApartBy(inner)) {
          from(a.child, inner)
        } else {
          Nil
        }
      case FilteringJoin(j) =>
        for {
          own <- Seq(j.join.left, j.join.right)
          if key.references.subsetOf(own.outputSet)
          if !j.mayPad(own) || isNullOfNulls(key)
          source <- side(j, own, key) ++ equated(j, own, key)
        } yield source
      // Rows that are kept can be read again where a condition above them cannot be asked again.
      case stored: LogicalRDD if !Failure.mayFail(key) =>
        Seq(KeySource(join, stored, key, hashed, JoinFilter.Rescan))
      case _ => Nil
    }

    /** A key that may fail after substitution goes no further. */
    private def side(j: FilteringJoin, own: LogicalPlan, key: Expression): Seq[KeySource] =
      if (Failure.mayFail(key)) Nil
      else KeySource(j, own, key, hashed, j.means(own, conf)) +: from(own, key)

    /** A join that drops unmatched rows equates its keys in its output rows. */
    private def equated(j: FilteringJoin, own: LogicalPlan, key: Expression): Seq[KeySource] =
      j.join.joinType match {
        case LeftAnti | ExistenceJoin(_) => Nil
        case _ if !j.mayDrop(own)        => Nil
        case _                           =>
          j.pairs(own)
            .collect { case (mine, theirs) if mine.semanticEquals(key) => theirs }
            .flatMap(side(j, j.other(own), _))
      }

    /** Whether a row of nulls has no key. A hash of several columns is not null for nulls, but a
      * row with a null among them joins with nothing.
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

  /** Whether the plan most likely returns a small part of all keys.
    *
    * @param isFiltered
    *   whether a scan takes the keys of another join as a filter
    */
  def isSelective(plan: LogicalPlan, isFiltered: LogicalPlan => Boolean): Boolean = {
    def selects(plan: LogicalPlan): Boolean = plan match {
      case f: SizedFilter if f.size.keepsMost => selects(f.child)
      case f: SizedFilter if f.size.keepsFew  => true
      case Filter(condition, child)           => isLikelySelective(condition) || selects(child)
      case Join(l, r, _: InnerLike | LeftSemi, _, _)                 => selects(l) || selects(r)
      case Join(l, _, LeftOuter | LeftAnti | ExistenceJoin(_), _, _) => selects(l)
      case Join(_, r, RightOuter, _, _)                              => selects(r)
      case u: Union                                                  => u.children.forall(selects)
      // Rows that a program made, or kept: of a few keys, or of too many to be worth gathering.
      case _: LocalRelation | _: LogicalRDD => true
      case cached: InMemoryRelation         => CachedRows.planOf(cached).exists(selects)
      case scan: LogicalRelation            => isFiltered(scan) || isFilteredByTable(scan)
      case FilesV2(scan)                    =>
        (scan.partitionFilters ++ scan.dataFilters).exists(isLikelySelective)
      case unary: UnaryNode => selects(unary.child)
      case _                => false
    }
    selects(plan)
  }

  /** Whether evaluating the plan again returns the same rows. Spark does not promise to reuse an
    * exchange, so the keys may come from a second evaluation. Nor does it promise to keep what it
    * caches: it may compute a part anew between the two.
    */
  def isRepeatable(plan: LogicalPlan): Boolean = !plan.exists { node =>
    val exact = node match {
      case r: LogicalRelation =>
        r.relation match {
          case files: HadoopFsRelation => isPinned(files)
          case _                       => false
        }
      case FilesV2(_)                 => true
      case stored: LogicalRDD         => stored.rdd.isCheckpointed
      case cached: InMemoryRelation   => CachedRows.planOf(cached).exists(isRepeatable)
      case _: SubqueryAlias | _: View => true
      case d: Distinct                => d.output.forall(a => isOneValue(a.dataType))
      case _: LocalRelation | _: Range | _: Join | _: Union           => true
      case _: Project | _: Filter | _: Sort | _: RepartitionOperation => true
      case a: Aggregate                                               =>
        a.groupingExpressions.forall(e => isOneValue(e.dataType)) &&
        !a.aggregateExpressions.exists(_.exists(isInexact))
      case w: Window           => w.windowExpressions.forall(e => !e.exists(dependsOnOrder))
      case w: WindowGroupLimit => isRank(w.rankLikeFunction)
      case _                   => false
    }
    !exact || !node.expressions.forall(e => e.deterministic && subqueries(e).forall(isRepeatable))
  }

  private def isFilteredByTable(scan: LogicalRelation): Boolean = scan.relation match {
    case files: HadoopFsRelation =>
      TableFormat.of(files.fileFormat).exists(_.exists(_.isFiltered(files.location)))
    case _ => false
  }

  /** Files that Spark reads as a DataSource V2, of which it has the list. */
  private object FilesV2 {
    def unapply(plan: LogicalPlan): Option[FileScan] = plan match {
      case relation: DataSourceV2ScanRelation =>
        Some(relation.scan).collect { case files: FileScan => files }
      case _ => None
    }
  }

  /** A table may have other files by then. */
  private def isPinned(files: HadoopFsRelation): Boolean =
    TableFormat.of(files.fileFormat) match {
      case Some(Right(table)) => table.isPinned(files.location)
      case Some(Left(_))      => false
      case None               => true
    }

  /** The plans of subqueries other than those of join filters, which keep all relevant rows. */
  private def subqueries(e: Expression): Seq[LogicalPlan] = e match {
    case _: JoinFilter         => Nil
    case s: SubqueryExpression => s.plan +: s.children.flatMap(subqueries)
    case other                 => other.children.flatMap(subqueries)
  }

  /** Whether the result of a window function may depend on the order of rows that its own order
    * leaves open. A rank does not, nor does an exact aggregate of all rows of a partition or of
    * those with equal values.
    */
  private def dependsOnOrder(e: Expression): Boolean = e match {
    case WindowExpression(function, _) if isRank(function)    => false
    case WindowExpression(aggregate: AggregateExpression, of) =>
      aggregate.exists(isInexact) || (of.frameSpecification match {
        case SpecifiedWindowFrame(RangeFrame, _, _)                          => false
        case SpecifiedWindowFrame(_, UnboundedPreceding, UnboundedFollowing) => false
        case _                                                               => true
      })
    case _: WindowExpression => true
    case _                   => false
  }

  private def isRank(function: Expression) = function match {
    case _: Rank | _: DenseRank => true
    case _                      => false
  }

  /** Whether equal values have one form in a group, whichever came first: a group of texts that a
    * collation treats as equal may show any of them. Floating-point values are normalised.
    */
  private def isOneValue(dataType: DataType): Boolean =
    EqualValues.areSame(dataType) || dataType == FloatType || dataType == DoubleType

  /** Whether the result depends on the order of the rows, which differs from run to run. It does
    * for sums of floating-point numbers, and averages that Spark computes from them; sums of
    * decimals without room for ten thousand million of them; the minimum of equal values that are
    * not identical.
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
