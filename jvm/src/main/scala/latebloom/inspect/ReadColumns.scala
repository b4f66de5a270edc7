// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import latebloom.scan.{ColumnOutcome, LateScan}

/** What a scan decoded and skipped of each column. */
object ReadColumns {

  /** Of a scan that ran, in the order of its columns. Of a wide table those with the most decoded
    * values, and one entry for all others.
    *
    * @param most
    *   at most so many entries
    */
  def of(scan: LateScan, most: Int): Seq[ColumnOutcome] = {
    val all = scan.columnOutcomes
    if (all.size <= most) all
    else {
      val byWork = all.indices.sortBy(i => -(all(i).decoded + all(i).bySpark))
      val (shown, others) = byWork.splitAt(most - 1)
      def sum(of: ColumnOutcome => Long) = others.map(i => of(all(i))).sum
      val rest = ColumnOutcome(
        s"${others.size} more columns",
        "",
        sum(_.decoded),
        sum(_.bySpark),
        sum(_.skipped)
      )
      shown.sorted.map(all) :+ rest
    }
  }
}
