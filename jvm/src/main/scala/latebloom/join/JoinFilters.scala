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
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.bloom.KeyLimits
import latebloom.compile.{Failure, JoinKeys, KeyRange, WantedKeys}
import latebloom.decision.{Reason, Reasons, ShortSql}
import latebloom.joinkeys.{
  BroadcastKeys,
  GatheredKeys,
  JoinFilter,
  KeysGatheredElsewhere,
  OneGathering,
  ShuffledSide
}
import latebloom.line.Compat._
import latebloom.scan.SelectiveFormat

/** Turns the keys of one side of a join into a filter on the scans of the other.
  *
  * It runs after Spark has optimised a query, turned its subqueries into joins and pushed its
  * predicates down. It first makes all decisions on the unchanged plan; then it adds a Filter to
  * each chosen scan, and to that scan's copies in the creation sides of other filters, so that both
  * get the same plan and Spark executes their exchange once.
  */
object JoinFilters extends Rule[LogicalPlan] with PredicateHelper {

  /** Bytes to read for which a filter may have one. */
  private val BytesPerByte = 16L
  private val SmallFilter = 64L << 10
  private val FewKeys = 1L << 20

  private val tag = TreeNodeTag[Seq[JoinDecision]]("latebloom.joinDecisions")

  /** The decisions about the join that a node executes; empty if it is not an equi-join. */
  def decisions(node: SparkPlan): Seq[JoinDecision] =
    node.logicalLink.flatMap(_.getTagValue(tag)).getOrElse(Nil)

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case s: Subquery if s.correlated => plan
    case _ if plan.isStreaming       => plan
    case _                           =>
      val undecided = plan.collect { case EquiJoin(j) if j.join.getTagValue(tag).isEmpty => j }
      val settings = LateBloomConf.settings(conf)
      if (undecided.isEmpty || !settings.enabled) plan
      else new Planning(plan, undecided, settings, new SharedParts(plan), Nil).result
  }

  /** A planned filter: the keys of `source` filter `target`. */
  final private case class Planned(target: Target, source: KeySource, shown: String)

  final private case class Decided(join: EquiJoin, side: LogicalPlan, decision: JoinDecision)

  /** @param whole
    *   scans that stay as they are, because Spark executes the part with them for several places
    */
  final private class Planning(
      plan: LogicalPlan,
      joins: Seq[EquiJoin],
      settings: LateBloomConf.Settings,
      shared: SharedParts,
      whole: Seq[LogicalPlan]
  ) {
    private var chosen = 0
    private val chosenFor =
      new java.util.IdentityHashMap[LogicalPlan, mutable.ArrayBuffer[Planned]]

    /** Scans that the plan contains once: a filter on a repeated scan would filter all its uses. */
    private val unique: Set[ExprId] = {
      val ids = plan.collectLeaves().flatMap(_.output.map(_.exprId))
      ids.groupBy(identity).collect { case (id, Seq(_)) => id }.toSet
    }

    private lazy val pruningBySpark: Seq[DynamicPruningSubquery] = plan.flatMap {
      case f: Filter =>
        splitConjunctivePredicates(f.condition).collect { case d: DynamicPruningSubquery => d }
      case _ => Nil
    }

    /** Whether Spark will prune the scan's partitions by the keys: some of its dynamic pruning
      * needs a broadcast that it can reuse.
      */
    private def prunedBySpark(t: Target, other: JoinFilter.Means): Option[Reason] = when(
      t.byPartition && pruningBySpark.exists { d =>
        d.pruningKey.semanticEquals(t.key) &&
        (!d.onlyInBroadcast || other == JoinFilter.Broadcast)
      }
    )(Reasons.sparkPrunesPartitions)

    def result: LogicalPlan = {
      // The largest scans choose first: of two filters that exclude each other, theirs gains most.
      val sides = joins.flatMap(j => Seq(j.join.left, j.join.right).map(side => (j, side)))
      val decided = settled(
        sides
          .sortBy { case (_, side) => -side.collectLeaves().map(_.stats.sizeInBytes).max }
          .map { case (j, side) => Decided(j, side, decide(j, side)) }
      )
      val torn =
        if (conf.exchangeReuseEnabled) shared.torn(filtersOn(_).nonEmpty) else Nil
      if (torn.isEmpty) built(decided)
      else new Planning(plan, joins, settings, shared, whole ++ torn).result
    }

    private def built(decided: Seq[Decided]): LogicalPlan = {
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

    /** A scan filtered by another join has few keys: joins without a source decide again. */
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
        _ <- Either.cond(
          j.join.condition.forall(_.deterministic),
          (),
          Reasons.keyNotTraceable(j.join.nodeName)
        )
        filters <- either(
          when(j.keys(side).nonEmpty)(filtersOf(j, side)) ++ j.ranges(side).map(rangeOf(j, side, _))
        )
      } yield filters
      val keys = j.keys(side)
      val on = (if (keys.nonEmpty) keys else j.ranges(side).map(_._1)).map(ShortSql(_))
        .mkString(", ")
      made match {
        case Left(why)      => JoinDecision(on, Nil, Some(why))
        case Right(filters) =>
          filters.foreach(choose)
          JoinDecision(on, filters.map(_.shown), None)
      }
    }

    /** All filters found; the first reason if there are none. */
    private def either(
        found: Iterable[Either[Reason, Seq[Planned]]]
    ): Either[Reason, Seq[Planned]] =
      found.find(_.isRight).fold(found.head)(_ => Right(found.toSeq.flatMap(_.toSeq.flatten)))

    /** A filter by the least and the greatest value that rows of the other side allow. Where the
      * join has keys, their filter does most, so this one must cost no job; a nested loop compares
      * each row with each, so any row that it does not get is worth the filter.
      */
    private def rangeOf(
        j: EquiJoin,
        side: LogicalPlan,
        compared: (Expression, KeyRange)
    ): Either[Reason, Seq[Planned]] = {
      val (mine, range) = compared
      val source = KeySource(j, j.other(side), range, hashed = false, j.means(j.other(side), conf))
      for {
        _ <- Either.cond(
          WantedKeys.areKeys(range, hashed = false) &&
            range.children.forall(_.dataType == mine.dataType),
          (),
          Reasons.rangeType(mine.dataType)
        )
        targets <- ApplicationSide.targets(side, mine)
        large <- firstReason(targets)(readable)
        scanned = large.map(_.bytes).max
        cheap = if (j.leftKeys.nonEmpty) source.means == JoinFilter.Broadcast
        else source.bytes <= scanned && pays(source, scanned)
        _ <- Either.cond(cheap, (), Reasons.creationTooLarge)
        _ <- Either.cond(
          j.leftKeys.isEmpty || CreationSide.isSelective(source.side, selects(_, large)),
          (),
          Reasons.creationNotSelective
        )
        _ <- Either.cond(
          CreationSide.isRepeatable(source.side),
          (),
          Reasons.creationNotRepeatable
        )
        fresh <- firstReason(large.map(t => Planned(t, source, shown(t, source))))(acyclic)
      } yield fresh
    }

    /** One filter for all keys of the join if one scan supplies them, else one for each key. A key
      * that is no number and no text, such as a struct, is hashed, too.
      */
    private def filtersOf(j: EquiJoin, side: LogicalPlan): Either[Reason, Seq[Planned]] = {
      val pairs = j.pairs(side)
      val hashable = pairs.forall { case (mine, _) => JoinKeys.hashesEqually(mine.dataType) }
      val hashes = pairs.size > 1 || JoinKeys.domain(pairs.head._1.dataType).isEmpty
      val together = when(hashes && hashable)(pairs.unzip).map { case (mine, theirs) =>
        filtersOf(j, side, new XxHash64(mine), new XxHash64(theirs), hashed = true, isWhole = true)
      }
      together.filter(_.isRight).getOrElse {
        val each = pairs.map { case (mine, theirs) =>
          filtersOf(j, side, mine, theirs, hashed = false, isWhole = pairs.size == 1)
        }
        either(each)
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
        other = j.other(side)
        large <- firstReason(targets) { t =>
          readable(t).orElse(prunedBySpark(t, j.means(other, conf)))
        }
        sources = CreationSide.sources(j, other, theirs, hashed, conf)
        source <- cheapest(sources, large, isWhole)
        planned = large.map(t => Planned(t, source, shown(t, source)))
        fresh <- firstReason(planned)(acyclic)
      } yield fresh

    private def choose(p: Planned): Unit = {
      chosenFor.computeIfAbsent(p.target.scan, _ => mutable.ArrayBuffer.empty) += p
      chosen += 1
    }

    /** The elements without a reason against them; the first reason if there are none. */
    private def firstReason[A](all: Seq[A])(why: A => Option[Reason]): Either[Reason, Seq[A]] = {
      val passed = all.filter(why(_).isEmpty)
      if (passed.nonEmpty) Right(passed)
      else Left(all.flatMap(why(_)).headOption.getOrElse(Reasons.noScan))
    }

    private def readable(t: Target): Option[Reason] =
      if (!SelectiveFormat.of(t.files.fileFormat).exists(_.whyNot.isEmpty)) {
        Some(Reasons.scanNotOurs(t.files.fileFormat.getClass))
      } else if (!t.scan.output.forall(a => unique.contains(a.exprId))) {
        Some(Reasons.scanTwice)
      } else if (whole.exists(_ eq t.scan) || (t.byPartition && isReadTwice(t))) {
        Some(Reasons.scanShared)
      } else if (t.bytes < settings.join.minScanBytes) {
        Some(Reasons.scanTooSmall(settings.join.minScanBytes))
      } else {
        None
      }

    /** Whether the plan reads the files in another place, too. Spark may execute both places once,
      * as those of a `WITH` that is joined with itself on a partition column.
      */
    private def isReadTwice(t: Target): Boolean = plan.collectLeaves().count {
      case scan: LogicalRelation => scan.relation == t.files
      case _                     => false
    } > 1

    private def cheapest(
        sources: Seq[KeySource],
        targets: Seq[Target],
        isWhole: Boolean
    ): Either[Reason, KeySource] = {
      val scanned = targets.map(_.bytes).max
      // Few rows may still contain every value of a part of the key: every item, every customer.
      val selective =
        sources.filter(s => CreationSide.isSelective(s.side, isWhole && selects(_, targets)))
      val repeatable = selective.filter(s => CreationSide.isRepeatable(s.side))
      val cheap = repeatable.filter(pays(_, scanned))
      if (selective.isEmpty) Left(Reasons.creationNotSelective)
      else if (repeatable.isEmpty) Left(Reasons.creationNotRepeatable)
      else if (cheap.isEmpty) Left(Reasons.creationTooLarge)
      else Right(cheap.minBy(_.bytes))
    }

    /** Whether a scan has a filter that adds to what the targets know, by their own filters or
      * themselves.
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

    /** Filters wait for the scans of their creation sides, and those wait for their own filters. */
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
      *   whether it is the query's whole plan, whose filters contain the subqueries of their keys
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

    /** Spark's own runtime filter on one of the keys has nothing left to drop. */
    private def isSparksFilterOn(e: Expression, keys: Seq[Expression]): Boolean = e match {
      case BloomFilterMightContain(_, XxHash64(Seq(key), _)) => keys.exists(_.semanticEquals(key))
      case _                                                 => false
    }

    /** Whether an expression may fail for rows below a join, or as its key. Spark's runtime filter
      * would drop some of those rows first. Ours does not guarantee that: a task skips it where
      * most rows pass, and there is none if gathering its keys fails. So Spark's filter stays.
      */
    private lazy val joinsMayFail: Boolean = {
      def within(part: LogicalPlan): Boolean = part match {
        case join: Join => join.exists(_.expressions.exists(mayFail))
        case other      => other.children.exists(within)
      }
      within(plan)
    }

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

    /** A filter as large as a part of what it can save reading, and with as many keys as a large
      * scan may have rows, of a byte each: more could not leave many out.
      */
    private def limitsOf(source: KeySource): KeyLimits = {
      val most = settings.join.limits
      val filtered = chosenFor.values.asScala.flatten.filter(_.source.isSame(source))
      val bytes = filtered.map(_.target.bytes).max.min(Long.MaxValue).toLong
      new KeyLimits(
        most.exactKeys,
        (bytes / JoinFilters.BytesPerByte).max(JoinFilters.SmallFilter).min(most.maxBytes).toInt,
        bytes.max(JoinFilters.FewKeys).min(most.maxKeys)
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
}

/** The decision about one side of a join on equal keys or on ranges.
  *
  * @param on
  *   the keys of the side to filter, as SQL
  * @param filters
  *   the filters of its scans
  * @param declined
  *   why there is no filter
  */
final case class JoinDecision(on: String, filters: Seq[String], declined: Option[Reason])
