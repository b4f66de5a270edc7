// SPDX-License-Identifier: Apache-2.0
package latebloom.toprows

import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.selection.LiveRows

/** Rows by file and number. */
class RowsOfFilesSuite extends AnyFunSuite {

  private def there(rows: RowsOfFiles) = RowsOfFiles.deserialize(rows.serialize())

  test("rows of several files, repeated and in any order") {
    val rows = there(RowsOfFiles(Seq(
      "file:/a%20b" -> Some(7L),
      "file:/c" -> Some(0L),
      "file:/a%20b" -> Some(3L),
      "file:/a%20b" -> Some(7L)
    )))
    assert(rows.files.toSet == Set("file:/a%20b", "file:/c"))
    val some = rows.of("file:/a%20b")
    assert(some.of(0, 10).toString == LiveRows.only(Array(3L, 7L)).of(0, 10).toString)
    assert(rows.of("file:/c").of(0, 5).count == 1)
    assert(!rows.exclude("file:/c") && rows.exclude("file:/d"))
    assert(rows.of("file:/d").of(0, 5).isNone)
  }

  test("a row without a number stands for all rows of its file") {
    val rows = there(RowsOfFiles(Seq("a" -> Some(1L), "a" -> None)))
    assert(rows.of("a").isAll)
  }

  test("no rows") {
    val rows = there(RowsOfFiles(Nil))
    assert(rows.files.isEmpty && rows.exclude("a"))
  }
}
