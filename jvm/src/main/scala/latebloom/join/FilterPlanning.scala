// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.latebloom.LateBloomConf

import latebloom.compile.{JoinKeys, KeyRange, WantedKeys}
import latebloom.decision.{Reason, Reasons, ShortSql}
import latebloom.joinkeys.JoinFilter
import latebloom.line.Compat._
import latebloom.scan.SelectiveFormat

/** Decides which scans of a plan the keys of its joins filter. */
final private[join] class FilterPlanning(
    plan: LogicalPlan,
    joins: Seq[FilteringJoin],
    settings: LateBloomConf.Settings
) extends PredicateHelper {
  import FilterPlanning._

  private val conf = SQLConf.get
  private val least = BigInt(settings.join.minScanBytes)
  private val shared = new SharedParts(plan)
  private val applications = new ApplicationSide(plan)

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

  /** The decisions of each join, about its left and its right side, and all filters. */
  def result: (Seq[(FilteringJoin, Seq[JoinDecision])], PlannedFilters) =
    attempted(Nil)

  /** @param whole
    *   scans that stay as they are, because Spark executes the part with them for several places
    */
  @tailrec
  private def attempted(
      whole: Seq[LogicalPlan]
  ): (Seq[(FilteringJoin, Seq[JoinDecision])], PlannedFilters) = {
    val attempt = new Attempt(whole)
    val decided = attempt.result
    val filters = attempt.filters
    val torn = if (conf.exchangeReuseEnabled) shared.torn(filters.on(_).nonEmpty) else Nil
    if (torn.nonEmpty) attempted(whole ++ torn)
    else {
      val byJoin = joins.map { j =>
        val ofSides = for {
          side <- Seq(j.join.left, j.join.right)
          d <- decided if (d.join eq j) && (d.side eq side)
        } yield d.decision
        j -> ofSides
      }
      (byJoin, filters)
    }
  }

  final private class Attempt(whole: Seq[LogicalPlan]) {
    val filters = new PlannedFilters

    def result: Seq[Decided] = {
      // The largest scans choose first: of two filters that exclude each other, theirs gains most.
      val sides = joins.flatMap(j => Seq(j.join.left, j.join.right).map(side => (j, side)))
      val decided = settled(
        sides
          .sortBy { case (_, side) => -side.collectLeaves().map(_.stats.sizeInBytes).max }
          .map { case (j, side) => Decided(j, side, decide(j, side, least)) },
        least
      )
      if (filters.isEmpty && !decided.exists(isOpen)) decided else withSteps(decided)
    }

    /** A scan filtered by another join has few keys: joins without a source decide again. */
    @tailrec
    private def settled(decided: Seq[Decided], least: BigInt): Seq[Decided] = {
      val before = filters.size
      val again = if (filters.isEmpty) decided
      else decided.map {
        case d if isOpen(d) =>
          val made = decide(d.join, d.side, least)
          if (made.declined.exists(_.code == tooSmall)) d else d.copy(decision = made)
        case d => d
      }
      if (filters.size == before) again else settled(again, least)
    }

    /** Filters of scans that are too small to gain by one, but whose own keys become fewer by it:
      * of a nation few suppliers, and of these few orders. Only those that a large scan needs stay.
      */
    private def withSteps(decided: Seq[Decided]): Seq[Decided] = {
      val steps = stepsOf(decided)
      val again = if (steps.isEmpty) decided else settled(decided, least * LargerForSteps)
      val needed =
        filters.neededFor(filters.all.filter(_.target.bytes >= least * LargerForSteps))
      val (kept, unused) = steps.partition { case (_, p) => needed.exists(_ eq p) }
      unused.foreach { case (_, p) => filters.remove(p) }
      again.map { d =>
        kept.collect { case (of, p) if of is d => p.text } match {
          case Nil   => d
          case texts =>
            val all = d.decision.filters ++ texts
            d.copy(decision = d.decision.copy(filters = all, declined = None))
        }
      }
    }

    /** All filters that may be a step, each with the decision that it belongs to. */
    private def stepsOf(decided: Seq[Decided]): Seq[(Decided, PlannedFilter)] = {
      def isSmall(plan: LogicalPlan) = plan.stats.sizeInBytes < least
      val found = for {
        d <- decided
        p <- filtersOf(d.join, d.side, 0).getOrElse(Nil)
        if isSmall(p.target.scan) && p.source.leaves.forall(isSmall)
      } yield {
        filters.add(p)
        d -> p
      }
      if (found.isEmpty) Nil else found ++ stepsOf(decided)
    }

    private def decide(j: FilteringJoin, side: LogicalPlan, least: BigInt): JoinDecision = {
      val keys = j.keys(side)
      val on = (if (keys.nonEmpty) keys else j.ranges(side).map(_._1)).map(ShortSql(_))
        .mkString(", ")
      val tables = PlannedFilter.tables(side)
      filtersOf(j, side, least) match {
        case Left(why)    => JoinDecision(on, tables, Nil, Some(why))
        case Right(found) =>
          found.foreach(filters.add)
          JoinDecision(on, tables, found.map(_.text), None)
      }
    }

    /** The filters of scans of at least so many bytes. */
    private def filtersOf(
        j: FilteringJoin,
        side: LogicalPlan,
        least: BigInt
    ): Either[Reason, Seq[PlannedFilter]] =
      for {
        _ <- Either.cond(settings.join.enabled, (), Reasons.joinDisabled)
        _ <- Either.cond(j.mayDrop(side), (), Reasons.joinType(j.join.joinType))
        _ <- Either.cond(
          j.join.condition.forall(_.deterministic),
          (),
          Reasons.keyNotTraceable(j.join.nodeName)
        )
        found <- either(
          when(j.keys(side).nonEmpty)(ofKeys(j, side, least)) ++
            j.ranges(side).map(ofRange(j, side, _, least))
        )
      } yield found

    /** A filter by the least and the greatest value that rows of the other side allow. Where the
      * join has keys, their filter does most, so this one must cost no job; a nested loop compares
      * each row with each, so any row that it does not get is worth the filter.
      */
    private def ofRange(
        j: FilteringJoin,
        side: LogicalPlan,
        compared: (Expression, KeyRange),
        least: BigInt
    ): Either[Reason, Seq[PlannedFilter]] = {
      val (mine, range) = compared
      val source = KeySource(j, j.other(side), range, hashed = false, j.means(j.other(side), conf))
      for {
        _ <- Either.cond(
          WantedKeys.areKeys(range, hashed = false) &&
            range.children.forall(_.dataType == mine.dataType),
          (),
          Reasons.rangeType(mine.dataType)
        )
        targets <- applications.targets(side, mine)
        large <- firstReason(targets)(readable(_, least))
        scanned = large.map(_.bytes).max
        cheap = if (j.leftKeys.nonEmpty) source.means == JoinFilter.Broadcast
        else source.bytes <= scanned && pays(source, scanned)
        _ <- Either.cond(cheap, (), Reasons.creationTooLarge)
        _ <- Either.cond(
          j.leftKeys.isEmpty || CreationSide.isSelective(source.side, filters.select(_, large)),
          (),
          Reasons.creationNotSelective
        )
        _ <- Either.cond(
          CreationSide.isRepeatable(source.side),
          (),
          Reasons.creationNotRepeatable
        )
        fresh <- firstReason(large.map(PlannedFilter(_, source)))(filters.whyNot)
      } yield fresh
    }

    /** One filter for all keys of the join if one scan supplies them, else one for each key. A key
      * that is no number and no text, such as a struct, is hashed, too.
      */
    private def ofKeys(
        j: FilteringJoin,
        side: LogicalPlan,
        least: BigInt
    ): Either[Reason, Seq[PlannedFilter]] = {
      val pairs = j.pairs(side)
      val hashable = pairs.forall { case (mine, _) => JoinKeys.hashesEqually(mine.dataType) }
      val alone = pairs.exists { case (mine, _) => JoinKeys.domain(mine.dataType).isDefined }
      val hashes = pairs.size > 1 || !alone
      val together = when(hashes && hashable)(pairs.unzip).map { case (mine, theirs) =>
        val key = SideKey(new XxHash64(mine), new XxHash64(theirs), hashed = true, isWhole = true)
        ofKey(j, side, key, least)
      }
      together.filter(_.isRight || !alone).getOrElse {
        val each = pairs.map { case (mine, theirs) =>
          ofKey(j, side, SideKey(mine, theirs, hashed = false, isWhole = pairs.size == 1), least)
        }
        either(each)
      }
    }

    private def ofKey(
        j: FilteringJoin,
        side: LogicalPlan,
        key: SideKey,
        least: BigInt
    ): Either[Reason, Seq[PlannedFilter]] =
      for {
        targets <- applications.targets(side, key.mine)
        dataType = key.mine.dataType
        _ <- Either.cond(JoinKeys.domain(dataType).isDefined, (), Reasons.keyType(dataType))
        other = j.other(side)
        large <- firstReason(targets) { t =>
          readable(t, least).orElse(prunedBySpark(t, j.means(other, conf)))
        }
        sources = CreationSide.sources(j, other, key.theirs, key.hashed, conf)
        source <- cheapest(sources, large, key.isWhole)
        fresh <- firstReason(large.map(PlannedFilter(_, source)))(filters.whyNot)
      } yield fresh

    private def readable(t: Target, least: BigInt): Option[Reason] = {
      val format = SelectiveFormat.of(t.files.fileFormat)
      if (!format.exists(_.whyNot.isEmpty)) {
        Some(Reasons.scanNotOurs(t.files.fileFormat.getClass))
      } else if (!t.scan.output.forall(a => unique.contains(a.exprId))) {
        Some(Reasons.scanTwice)
      } else if (whole.exists(_ eq t.scan) || (t.byPartition && isReadTwice(t))) {
        Some(Reasons.scanShared)
      } else if (t.bytes < least) {
        Some(Reasons.scanTooSmall(settings.join.minScanBytes))
      } else {
        t.below.filterNot(_ => mayExcludeFiles(t, format)).map(Reasons.keyNotTraceable)
      }
    }

    private def cheapest(
        sources: Seq[KeySource],
        targets: Seq[Target],
        isWhole: Boolean
    ): Either[Reason, KeySource] = {
      val scanned = targets.map(_.bytes).max
      // Few rows may still contain every value of a part of the key: every item, every customer.
      // Files alone are excluded at no cost to the rows of the others.
      val free = targets.forall(_.onlyFiles)
      val selective = sources.filter { s =>
        (free && s.bytes * MuchLarger <= scanned) ||
        CreationSide.isSelective(s.side, isWhole && filters.select(_, targets))
      }
      def isRepeatable(s: KeySource) = CreationSide.isRepeatable(s.side)
      val cheap = selective.filter(pays(_, scanned)).sortBy(_.bytes)
      cheap.find(isRepeatable).toRight(
        if (selective.isEmpty) Reasons.creationNotSelective
        else if (selective.exists(isRepeatable)) Reasons.creationTooLarge
        else Reasons.creationNotRepeatable
      )
    }
  }

  /** Whether Spark will prune the scan's partitions by the keys: some of its dynamic pruning needs
    * a broadcast that it can reuse.
    */
  private def prunedBySpark(t: Target, other: JoinFilter.Means): Option[Reason] = when(
    t.byPartition && pruningBySpark.exists { d =>
      d.pruningKey.semanticEquals(t.key) &&
      (!d.onlyInBroadcast || other == JoinFilter.Broadcast)
    }
  )(Reasons.sparkPrunesPartitions)

  /** Whether something is known of the key of a file's rows before the file is opened. */
  private def mayExcludeFiles(t: Target, format: Option[SelectiveFormat]): Boolean =
    t.byPartition || t.byBucket || format.flatMap(_.table).exists(_.prunes(t.files.location))

  /** Whether the plan reads the files in another place, too. Spark may execute both places once, as
    * those of a `WITH` that is joined with itself on a partition column.
    */
  private def isReadTwice(t: Target): Boolean = plan.collectLeaves().count {
    case scan: LogicalRelation => scan.relation == t.files
    case _                     => false
  } > 1

  private def pays(s: KeySource, scanned: BigInt): Boolean = s.means match {
    case JoinFilter.Broadcast => true
    case JoinFilter.Shuffle   => s.bytes <= scanned
    case JoinFilter.Rescan    => s.bytes <= scanned && s.bytes <= settings.join.rescanBytes
  }
}

private object FilterPlanning {

  /** How many times as large a scan is as a side whose keys may lie in a part of its files. */
  private val MuchLarger = 10

  /** How many times as large as others a scan is for whose keys steps are waited for. */
  private val LargerForSteps = 4

  final private case class Decided(join: FilteringJoin, side: LogicalPlan, decision: JoinDecision) {
    def is(that: Decided): Boolean = (join eq that.join) && (side eq that.side)
  }

  private val tooSmall = Reasons.scanTooSmall(0).code

  /** Whether the join has a scan that keys of the other side would filter if they were few. */
  private def isOpen(d: Decided): Boolean =
    d.decision.declined.contains(Reasons.creationNotSelective)

  /** A key of the side to filter, and of the other.
    *
    * @param hashed
    *   whether it is a hash of several columns
    * @param isWhole
    *   whether it is all that the join compares
    */
  final private case class SideKey(
      mine: Expression,
      theirs: Expression,
      hashed: Boolean,
      isWhole: Boolean
  )

  /** All filters found; the first reason if there are none. */
  private def either(
      found: Iterable[Either[Reason, Seq[PlannedFilter]]]
  ): Either[Reason, Seq[PlannedFilter]] =
    found.find(_.isRight).fold(found.head)(_ => Right(found.toSeq.flatMap(_.toSeq.flatten)))

  /** The elements without a reason against them; the first reason if there are none. */
  private def firstReason[A](all: Seq[A])(why: A => Option[Reason]): Either[Reason, Seq[A]] = {
    val passed = all.filter(why(_).isEmpty)
    if (passed.nonEmpty) Right(passed)
    else Left(all.flatMap(why(_)).headOption.getOrElse(Reasons.noScan))
  }
}
