// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit

/** How many rows the row groups of a Parquet file have. */
object RowGroups {

  /** Options of a writer that make row groups of so many rows, as every parquet-java understands
    * them: a row group is full whenever it is looked at.
    */
  def of(rows: Int): Map[String, String] = Map(
    "parquet.block.size" -> "1",
    "parquet.page.size.row.check.min" -> rows.toString,
    "parquet.page.size.row.check.max" -> rows.toString
  )
}
