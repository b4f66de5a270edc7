// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import scala.annotation.tailrec
import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.compile.{Failure, JoinKeys}
import latebloom.decision.{Reason, Reasons, ShortSql}
import latebloom.joinkeys.{
  BroadcastKeys,
  GatheredKeys,
  JoinFilter,
  KeysGatheredElsewhere,
  ShuffledSide
}
import latebloom.line.Compat.when
import latebloom.scan.SelectiveFormat

/** Makes the keys of one side of a join a filter on the scans of the other.
  *
  * It runs once a query is optimised, when subqueries have become joins and predicates are where
  * they stay. Decisions come first, all of them on the plan as it is; then each scan that is to be
  * filtered gets a Filter, and so does its copy in the creation sides of other filters, so that
  * both are planned alike and Spark executes their exchange once.
  */
object JoinFilters extends Rule[LogicalPlan] with PredicateHelper {
  private val tag = TreeNodeTag[Seq[JoinDecision]]("latebloom.joinDecisions")

  /** What was decided about the join that a node executes; empty for what is no equi-join. */
  def decisions(node: SparkPlan): Seq[JoinDecision] =
    node.logicalLink.flatMap(_.getTagValue(tag)).getOrElse(Nil)

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case s: Subquery if s.correlated => plan
    case _ if plan.isStreaming       => plan
    case _                           =>
      val undecided = plan.collect { case EquiJoin(j) if j.join.getTagValue(tag).isEmpty => j }
      val settings = LateBloomConf.settings(conf)
      if (undecided.isEmpty || !settings.enabled) plan
      else new Planning(plan, undecided, settings).result
  }

  /** A filter that is to be: what `source` has is gathered for `target`. */
  final private case class Planned(target: Target, source: KeySource, shown: String)

  final private case class Decided(join: EquiJoin, side: LogicalPlan, decision: JoinDecision)

  final private class Planning(
      plan: LogicalPlan,
      joins: Seq[EquiJoin],
      settings: LateBloomConf.Settings
  ) {
    private var chosen = 0
    private val chosenFor =
      new java.util.IdentityHashMap[LogicalPlan, mutable.ArrayBuffer[Planned]]

    /** Scans that stand in the plan once: to filter one that stands there twice would filter both.
      */
    private val unique: Set[ExprId] = {
      val ids = plan.collectLeaves().flatMap(_.output.map(_.exprId))
      ids.groupBy(identity).collect { case (id, Seq(_)) => id }.toSet
    }

    def result: LogicalPlan = {
      // The largest scans choose first: of two filters that exclude each other they gain most.
      val sides = joins.flatMap(j => Seq(j.join.left, j.join.right).map(side => (j, side)))
      val decided = settled(
        sides
          .sortBy { case (_, side) => -side.collectLeaves().map(_.stats.sizeInBytes).max }
          .map { case (j, side) => Decided(j, side, decide(j, side)) }
      )
      joins.foreach { j =>
        j.join.setTagValue(
          tag,
          for {
            side <- Seq(j.join.left, j.join.right)
            d <- decided if (d.join eq j) && (d.side eq side)
          } yield d.decision
        )
      }
      if (chosen == 0) plan else filtered(plan, whole = true)
    }

    /** A scan that another join filters gives few keys: joins that had to do without any decide
      * again.
      */
    @tailrec
    private def settled(decided: Seq[Decided]): Seq[Decided] = {
      val before = chosen
      val again = if (chosen == 0) decided
      else decided.map {
        case d if d.decision.declined.contains(Reasons.creationNotSelective) =>
          d.copy(decision = decide(d.join, d.side))
        case d => d
      }
      if (chosen == before) again else settled(again)
    }

    private def decide(j: EquiJoin, side: LogicalPlan): JoinDecision = {
      val made = for {
        _ <- Either.cond(settings.join.enabled, (), Reasons.joinDisabled)
        _ <- Either.cond(j.mayDrop(side), (), Reasons.joinType(j.join.joinType))
        filters <- filtersOf(j, side)
      } yield filters
      val on = j.keys(side).map(ShortSql(_)).mkString(", ")
      made match {
        case Left(why)      => JoinDecision(on, Nil, Some(why))
        case Right(filters) =>
          filters.foreach(choose)
          JoinDecision(on, filters.map(_.shown), None)
      }
    }

    /** One filter for all keys of the join where they are of one scan, else one for each. */
    private def filtersOf(j: EquiJoin, side: LogicalPlan): Either[Reason, Seq[Planned]] = {
      val pairs = j.pairs(side)
      val together = when(pairs.size > 1)(pairs.unzip).map { case (mine, theirs) =>
        filtersOf(j, side, new XxHash64(mine), new XxHash64(theirs), hashed = true, isWhole = true)
      }
      together.filter(_.isRight).getOrElse {
        val each = pairs.map { case (mine, theirs) =>
          filtersOf(j, side, mine, theirs, hashed = false, isWhole = pairs.size == 1)
        }
        each.find(_.isRight).fold(each.head)(_ => Right(each.flatMap(_.toSeq.flatten)))
      }
    }

    private def filtersOf(
        j: EquiJoin,
        side: LogicalPlan,
        mine: Expression,
        theirs: Expression,
        hashed: Boolean,
        isWhole: Boolean
    ): Either[Reason, Seq[Planned]] =
      for {
        targets <- ApplicationSide.targets(side, mine)
        _ <-
          Either.cond(JoinKeys.domain(mine.dataType).isDefined, (), Reasons.keyType(mine.dataType))
        large <- firstReason(targets)(readable)
        sources = CreationSide.sources(j, j.other(side), theirs, hashed, conf)
        source <- cheapest(sources, large, isWhole)
        planned = large.map(t => Planned(t, source, shown(t, source)))
        fresh <- firstReason(planned)(acyclic)
      } yield fresh

    private def choose(p: Planned): Unit = {
      chosenFor.computeIfAbsent(p.target.scan, _ => mutable.ArrayBuffer.empty) += p
      chosen += 1
    }

    /** What passes; the first reason where nothing does. */
    private def firstReason[A](all: Seq[A])(why: A => Option[Reason]): Either[Reason, Seq[A]] = {
      val passed = all.filter(why(_).isEmpty)
      if (passed.nonEmpty) Right(passed)
      else Left(all.flatMap(why(_)).headOption.getOrElse(Reasons.noScan))
    }

    private def readable(t: Target): Option[Reason] =
      if (!SelectiveFormat.isRead(t.files.fileFormat)) {
        Some(Reasons.scanNotOurs(t.files.fileFormat.getClass))
      } else if (!t.scan.output.forall(a => unique.contains(a.exprId))) {
        Some(Reasons.scanTwice)
      } else if (t.bytes < settings.join.minScanBytes) {
        Some(Reasons.scanTooSmall(settings.join.minScanBytes))
      } else {
        None
      }

    private def cheapest(
        sources: Seq[KeySource],
        targets: Seq[Target],
        isWhole: Boolean
    ): Either[Reason, KeySource] = {
      val scanned = targets.map(_.bytes).max
      // Few rows may still have every value of a part of the key: every item, every customer.
      val selective =
        sources.filter(s => CreationSide.isSelective(s.side, isWhole && selects(_, targets)))
      val repeatable = selective.filter(s => CreationSide.isRepeatable(s.side))
      val cheap = repeatable.filter(pays(_, scanned))
      if (selective.isEmpty) Left(Reasons.creationNotSelective)
      else if (repeatable.isEmpty) Left(Reasons.creationNotRepeatable)
      else if (cheap.isEmpty) Left(Reasons.creationTooLarge)
      else Right(cheap.minBy(_.bytes))
    }

    /** Whether a scan has a filter that tells the targets more than they know, be it by their own
      * filters or of themselves.
      */
    private def selects(scan: LogicalPlan, targets: Seq[Target]): Boolean = {
      filtersOn(scan).exists { c =>
        !targets.exists { t =>
          waitsFor(c.source, t.scan) || filtersOn(t.scan).exists(_.source.isSame(c.source))
        }
      }
    }

    private def pays(s: KeySource, scanned: BigInt): Boolean = s.means match {
      case JoinFilter.Broadcast => true
      case JoinFilter.Shuffle   => s.bytes <= scanned
      case JoinFilter.Rescan    => s.bytes <= scanned && s.bytes <= settings.join.rescanBytes
    }

    /** Filters wait for the scans of their creation sides, and these for their filters. */
    private def waitsFor(source: KeySource, scan: LogicalPlan): Boolean = {
      val seen = new java.util.IdentityHashMap[LogicalPlan, LogicalPlan]
      def waits(source: KeySource): Boolean = source.leaves.exists { leaf =>
        (leaf eq scan) || (seen.put(leaf, leaf) == null && filtersOn(leaf).exists(c =>
          waits(c.source)
        ))
      }
      waits(source)
    }

    private def filtersOn(scan: LogicalPlan): Seq[Planned] =
      Option(chosenFor.get(scan)).map(_.toSeq).getOrElse(Nil)

    private def acyclic(p: Planned): Option[Reason] =
      if (waitsFor(p.source, p.target.scan)) Some(Reasons.joinCycle)
      else
        when(filtersOn(p.target.scan).exists { c =>
          c.source.isSame(p.source) && c.target.key.semanticEquals(p.target.key)
        })(Reasons.joinFilterTwice)

    private def shown(t: Target, s: KeySource): String =
      s"${ShortSql(t.key)} IN ${ShortSql(s.wanted)} (${s.means.name})"

    /** @param whole
      *   whether it is all of the query's plan, whose filters have the subqueries for their keys
      */
    private def filtered(part: LogicalPlan, whole: Boolean): LogicalPlan = part.transformUp {
      case Filter(condition, child @ Filter(ours, scan)) if filtersOn(scan).nonEmpty =>
        val keys = splitConjunctivePredicates(ours).collect { case f: JoinFilter => f.key }
        val (same, others) =
          splitConjunctivePredicates(condition).partition(isSparksFilterOn(_, keys))
        if (same.isEmpty || joinsMayFail) Filter(condition, child)
        else others.reduceOption(And).fold[LogicalPlan](child)(Filter(_, child))
      case scan if filtersOn(scan).nonEmpty =>
        val filters = filtersOn(scan).map { p =>
          val gathering = gatheringOf(p.source)
          JoinFilter(
            p.target.key,
            if (whole) gathering.define() else gathering.refer,
            JoinFilter.Origin(ShortSql(p.source.wanted), p.source.means),
            gathering.keys
          )
        }
        Filter(filters.reduce[Expression](And), scan)
    }

    /** Spark's own runtime filter on one of the keys has no more to drop. */
    private def isSparksFilterOn(e: Expression, keys: Seq[Expression]): Boolean = e match {
      case BloomFilterMightContain(_, XxHash64(Seq(key), _)) => keys.exists(_.semanticEquals(key))
      case _                                                 => false
    }

    /** Whether something may fail for rows on their way to a join, or as its key. Of some such rows
      * Spark's runtime filter would have made an end before. Ours does not promise it: a task
      * leaves it out where most rows pass, and it is none if its keys could not be had. So Spark's
      * stays.
      */
    private lazy val joinsMayFail: Boolean = {
      def within(part: LogicalPlan): Boolean = part match {
        case join: Join => join.exists(_.expressions.exists(mayFail))
        case other      => other.children.exists(within)
      }
      within(plan)
    }

    /** Spark's runtime filters have subqueries, which say nothing of rows. */
    private def mayFail(e: Expression): Boolean = e match {
      case And(left, right)                => mayFail(left) || mayFail(right)
      case BloomFilterMightContain(_, key) => Failure.mayFail(key)
      case other                           => Failure.mayFail(other)
    }

    /** How the keys of a source are gathered: by a subquery that stands in the plan once. */
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

    private val bySource = mutable.ArrayBuffer.empty[(KeySource, Gathering)]
    private val byPlan = mutable.HashMap.empty[GatheredKeys, Gathering]

    /** One for all filters of one source, or of equal ones. */
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

    private def planOf(source: KeySource, side: LogicalPlan, keys: Seq[Expression]): LogicalPlan = {
      val limits = settings.join.limits
      val gather =
        Alias(JoinKeys(source.wanted, limits, source.hashed).toAggregateExpression(), "keys")()
      source.means match {
        case JoinFilter.Broadcast =>
          BroadcastKeys(keys, source.wanted, limits, side, Seq(gather.toAttribute))
        case JoinFilter.Shuffle => Aggregate(Nil, Seq(gather), ShuffledSide(keys, side))
        case JoinFilter.Rescan  => Aggregate(Nil, Seq(gather), side)
      }
    }
  }
}

/** What became of one side of an equi-join.
  *
  * @param on
  *   the keys of the side that would be filtered, as SQL
  * @param filters
  *   what its scans are filtered by
  * @param declined
  *   why there is no filter
  */
final case class JoinDecision(on: String, filters: Seq[String], declined: Option[Reason])
