// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import latebloom.scan.SelectiveFormat

/** The part of a filtered scan that a table format plans itself: a condition on rows that the table
  * has deleted. Our scan of such a table outputs live rows only, which does the condition's work.
  */
private[rules] object LiveScan {

  /** The scan without the condition that drops deleted rows; `found` itself if there is none. The
    * file index chose its files without that condition.
    */
  def of(found: FilteredScan): FilteredScan =
    SelectiveFormat.of(found.scan.relation.fileFormat).flatMap(_.table) match {
      case Some(table) if found.conjuncts.exists(table.dropsDeleted) =>
        val scan = found.scan.copy(dataFilters =
          found.scan.dataFilters.filterNot(table.dropsDeleted)
        )
        scan.copyTagsFrom(found.scan)
        found.copy(conjuncts = found.conjuncts.filterNot(table.dropsDeleted), scan = scan)
      case _ => found
    }

  /** Whether the plan drops deleted rows elsewhere than directly above the scan, or outputs the
    * column by which it does.
    */
  def isWithDeletedRows(found: FilteredScan): Boolean =
    SelectiveFormat.of(found.scan.relation.fileFormat).flatMap(_.table).exists { table =>
      table.plansDeletions && (found.above.isEmpty || !found.conjuncts.exists(table.dropsDeleted))
    }
}
