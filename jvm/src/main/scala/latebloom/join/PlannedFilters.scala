// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import java.util.IdentityHashMap

import scala.collection.mutable

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import latebloom.decision.{Reason, Reasons, ShortSql}
import latebloom.joinkeys.JoinFilter
import latebloom.line.Compat._

/** A planned filter: the keys of `source` filter `target`. */
final private[join] case class PlannedFilter(target: Target, source: KeySource) {

  def origin: JoinFilter.Origin = {
    val keys = ShortSql(source.wanted)
    JoinFilter.Origin(keys + PlannedFilter.tables(source.side).fold("")(" of " + _), source.means)
  }

  /** Its text in EXPLAIN. */
  def text: String = JoinFilter.text(target.key, origin, target.onlyFiles)
}

private object PlannedFilter {
  private val MostTables = 2

  /** The names of the tables that a plan reads, or of the first of them; None if it reads none. */
  def tables(plan: LogicalPlan): Option[String] = {
    val all = plan.collectLeaves().flatMap(table).distinct
    val more = if (all.size > MostTables) ", …" else ""
    when(all.nonEmpty)(all.take(MostTables).mkString("", ", ", more))
  }

  /** What people call a table, or the last part of its path. */
  private def table(leaf: LogicalPlan): Option[String] = leaf match {
    case l: LogicalRelation =>
      l.catalogTable.map(_.identifier.table).orElse(Option(l.relation).collect {
        case files: HadoopFsRelation => files.location.rootPaths.headOption.map(_.getName)
      }.flatten)
    case _ => None
  }
}

/** The filters that are planned so far. */
final private[join] class PlannedFilters {
  private val planned = mutable.ArrayBuffer.empty[PlannedFilter]
  private val byScan = new IdentityHashMap[LogicalPlan, mutable.ArrayBuffer[PlannedFilter]]

  def all: Seq[PlannedFilter] = planned.toSeq

  def size: Int = planned.size

  def isEmpty: Boolean = planned.isEmpty

  def add(p: PlannedFilter): Unit = {
    planned += p
    byScan.computeIfAbsent(p.target.scan, _ => mutable.ArrayBuffer.empty) += p
  }

  def on(scan: LogicalPlan): Seq[PlannedFilter] =
    Option(byScan.get(scan)).fold(Seq.empty[PlannedFilter])(_.toSeq)

  /** The filters that take the keys of `source`. */
  def of(source: KeySource): Seq[PlannedFilter] = all.filter(_.source.isSame(source))

  def remove(p: PlannedFilter): Unit =
    Seq(planned, byScan.get(p.target.scan)).foreach(in => in.remove(in.indexWhere(_ eq p)))

  /** The filters on whose scans the keys of others depend, and so on. */
  def neededFor(filters: Seq[PlannedFilter]): Seq[PlannedFilter] = {
    val seen = new IdentityHashMap[PlannedFilter, PlannedFilter]
    def need(p: PlannedFilter): Unit =
      for (leaf <- p.source.leaves; below <- on(leaf) if seen.put(below, below) == null) need(below)
    filters.foreach(need)
    seen.keySet.asScala.toSeq
  }

  /** The most bytes that a scan has which waits, by way of its keys, for `scan`. */
  def bytesBehind(scan: LogicalPlan): BigInt =
    all.filter(p => waitsFor(p.source, scan)).map(_.target.bytes).foldLeft(BigInt(0))(_ max _)

  /** Why a filter cannot be added to these. */
  def whyNot(p: PlannedFilter): Option[Reason] =
    if (waitsFor(p.source, p.target.scan)) Some(Reasons.joinCycle)
    else
      when(on(p.target.scan).exists { c =>
        c.source.isSame(p.source) && c.target.key.semanticEquals(p.target.key)
      })(Reasons.joinFilterTwice)

  /** Whether a scan has a filter of its rows that adds to what the targets know, by their own
    * filters or themselves.
    */
  def select(scan: LogicalPlan, targets: Seq[Target]): Boolean =
    on(scan).exists { c =>
      !c.target.onlyFiles && !targets.exists { t =>
        waitsFor(c.source, t.scan) || on(t.scan).exists(_.source.isSame(c.source))
      }
    }

  /** Filters wait for the scans of their creation sides, and those wait for their own filters. */
  private def waitsFor(source: KeySource, scan: LogicalPlan): Boolean = {
    val seen = new IdentityHashMap[LogicalPlan, LogicalPlan]
    def waits(source: KeySource): Boolean = source.leaves.exists { leaf =>
      (leaf eq scan) || (seen.put(leaf, leaf) == null && on(leaf).exists(c => waits(c.source)))
    }
    waits(source)
  }
}
