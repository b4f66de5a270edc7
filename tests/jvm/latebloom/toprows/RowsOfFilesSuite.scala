// SPDX-License-Identifier: Apache-2.0
package latebloom.toprows

import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.selection.LiveRows

/** Rows by file and number. */
class RowsOfFilesSuite extends AnyFunSuite {

  private def there(rows: RowsOfFiles) = RowsOfFiles.deserialize(rows.serialize())

  private def row(file: String, number: Option[Long], split: Option[(Long, Long)] = None) =
    StoredRow(file, number, split)

  test("rows of several files, repeated and in any order") {
    val rows = there(RowsOfFiles(Seq(
      row("file:/a%20b", Some(7L)),
      row("file:/c", Some(0L)),
      row("file:/a%20b", Some(3L)),
      row("file:/a%20b", Some(7L))
    )))
    assert(rows.files.toSet == Set("file:/a%20b", "file:/c"))
    val some = rows.of("file:/a%20b")
    assert(some.of(0, 10).toString == LiveRows.only(Array(3L, 7L)).of(0, 10).toString)
    assert(rows.of("file:/c").of(0, 5).count == 1)
    assert(!rows.exclude("file:/c") && rows.exclude("file:/d"))
    assert(rows.of("file:/d").of(0, 5).isNone)
  }

  test("a row without a number stands for all rows of its file") {
    val rows = there(RowsOfFiles(Seq(row("a", Some(1L)), row("a", None))))
    assert(rows.of("a").isAll)
  }

  test("splits that have a byte in common with one that has a row") {
    val rows = there(RowsOfFiles(Seq(
      row("a", Some(1L), Some(100L -> 50L)),
      row("a", Some(2L), Some(300L -> 100L)),
      row("b", Some(2L), Some(0L -> 10L))
    )))
    def excluded(splits: (Long, Long)*) = splits.map(s => rows.exclude("a", s._1, s._2))
    assert(excluded(0L -> 100L, 150L -> 150L, 400L -> 9L) == Seq(true, true, true))
    assert(excluded(0L -> 101L, 149L -> 1L, 149L -> 200L, 399L -> 9L, 0L -> 999L).forall(!_))
    assert(rows.exclude("c", 0, 9))
  }

  test("a row of an unknown split may be in any split of its file") {
    val rows = there(RowsOfFiles(Seq(
      row("a", Some(1L), Some(100L -> 50L)),
      row("a", Some(2L)),
      row("b", Some(1L), Some(0L -> 1L))
    )))
    assert(!rows.exclude("a", 0, 1) && rows.exclude("b", 1, 9))
  }

  test("no rows") {
    val rows = there(RowsOfFiles(Nil))
    assert(rows.files.isEmpty && rows.exclude("a"))
  }
}
