// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import latebloom.decision.{Reason, Reasons, ShortSql}
import latebloom.line.Compat.when

/** Why Spark alone executes a part of a query.
  *
  * @param part
  *   `scan`, `predicate`, `join` or `order`
  * @param node
  *   the name of the plan node
  * @param of
  *   what it is about: a table or path, a predicate, the keys of a join, an order
  * @param bytes
  *   the size of the files below the node; None if it is not known
  */
final case class Cause(part: String, node: String, of: String, why: Reason, bytes: Option[Long])

object Cause {

  /** One root cause for each part that is left to Spark, those with the most bytes first. */
  def of(scans: Seq[ScanReport], joins: Seq[JoinReport], orders: Seq[TopKReport]): Seq[Cause] = {
    val found = scans.flatMap(ofScan) ++
      joins.flatMap(j => j.declined.map(Cause("join", j.node, j.of, _, j.bytes))) ++
      orders.flatMap(o => o.declined.map(Cause("order", o.node, o.on, _, o.bytes)))
    found.sortBy(-_.bytes.getOrElse(0L))
  }

  private def ofScan(scan: ScanReport): Seq[Cause] = {
    val bytes = scan.source.bytes
    scan.declined match {
      case Some(why) =>
        // The reason of such a scan is that of its predicates.
        val ofPredicate =
          when(why.code == Reasons.nothingPushable.code)(scan.residual.headOption).flatten
        Seq(Cause("scan", scan.node, scan.source.table, ofPredicate.fold(why)(_.why), bytes))
      case None =>
        scan.residual.map(r => Cause("predicate", scan.node, ShortSql(r.conjunct), r.why, bytes))
    }
  }
}
