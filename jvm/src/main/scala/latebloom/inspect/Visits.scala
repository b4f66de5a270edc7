// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import latebloom.read.task.Counter
import latebloom.read.task.Counter._
import latebloom.scan.LateScan

/** In how many visits a scan read row groups, and why.
  *
  * @param kind
  *   `late`: filter columns first, then what the surviving rows need; `eager`: all at once
  * @param code
  *   the reason's name, the same in all versions
  * @param rowGroups
  *   how many, of those with a surviving row
  */
final case class Visits(kind: String, code: String, reason: String, rowGroups: Long)

object Visits {

  /** Of a scan that ran; without reasons that no row group had. */
  def of(scan: LateScan): Seq[Visits] = {
    def value(of: Counter) = scan.metrics(of.key).value
    val least = s"${scan.options.eagerFraction}"
    Seq(
      Visits(
        "late",
        "few-rows-pass",
        s"less than $least of the rows were expected to pass (spark.latebloom.scan.eagerFraction)",
        value(ROW_GROUPS_LATE)
      ),
      Visits(
        "eager",
        "most-rows-pass",
        s"about $least or more of the rows were expected to pass (spark.latebloom.scan.eagerFraction)",
        value(ROW_GROUPS_EAGER) - value(ROW_GROUPS_ONE_VISIT)
      ),
      Visits(
        "eager",
        "saves-no-request",
        "what filtering first saves was expected to be worth less than a request",
        value(ROW_GROUPS_ONE_VISIT)
      )
    ).filter(_.rowGroups > 0)
  }
}
