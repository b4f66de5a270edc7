// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import latebloom.line.Compat.when
import latebloom.read.task.Counter
import latebloom.read.task.Counter._
import latebloom.scan.LateScan

/** A step by which a scan drops rows.
  *
  * @param name
  *   a filter as SQL, or what else drops rows
  * @param rows
  *   how many reached the step
  * @param left
  *   how many it left
  * @param nanos
  *   the time that all tasks together spent in it; None if it is not measured
  */
final case class Step(name: String, rows: Long, left: Long, nanos: Option[Long])

/** From the rows of the row groups that a scan opened to those that it returned. */
object Funnel {

  /** What is known of rows without reading them. */
  private val unread = Seq(
    ROWS_DELETED -> "deleted rows",
    ROWS_NOT_BEST -> "rows that are not among the first",
    ROWS_REMEMBERED -> "stretches without survivors in an earlier query",
    ROWS_PRUNED -> "statistics and indexes of pages"
  )

  /** The steps of a scan that ran. Filters that tested rows follow each other by how many: the scan
    * orders them as it learns, so one may have tested fewer rows than the one above it left, or
    * more.
    */
  def of(scan: LateScan): Seq[Step] = {
    def value(of: Counter) = scan.metrics(of.key).value
    val returned = scan.metrics("numOutputRows").value
    val dropped = unread.map { case (counter, name) => name -> value(counter) }
    val opened = returned + dropped.map(_._2).sum + value(ROWS_FILTERED)
    val left = dropped.scanLeft(opened)(_ - _._2)
    val before = dropped.zip(left.zip(left.tail)).flatMap { case ((name, n), (from, to)) =>
      when(n > 0)(Step(name, from, to, None))
    }
    val filters = scan.filterOutcomes.filter(_.rows > 0).sortBy(f => (-f.rows, -f.passed))
      .map(f => Step(f.text, f.rows, f.passed, Some(f.nanos)))
    Step("rows of the row groups that were opened", opened, opened, None) +: (before ++ filters) :+
      Step("output", returned, returned, Some(value(PAYLOAD_TIME)))
  }
}
