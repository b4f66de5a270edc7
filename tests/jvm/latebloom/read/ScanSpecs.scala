// SPDX-License-Identifier: Apache-2.0
package latebloom.read

import org.apache.spark.sql.types.StructType

import latebloom.read.predicate.RowPredicate

object ScanSpecs {

  /** The specification of a scan without filters on single columns.
    *
    * @param payload
    *   how many of the columns, the first ones, are output
    * @param residual
    *   what rows have to pass, null for all rows
    * @param eager
    *   share of surviving rows from which on a row group is fetched whole
    */
  def withoutFilters(
      name: String,
      columns: StructType,
      payload: Int,
      batchRows: Int,
      residual: RowPredicate = null,
      eager: Double = 0.5
  ): ScanSpec = new ScanSpec(
    name,
    columns,
    payload,
    java.util.List.of(),
    java.util.List.of(),
    new ScanSpec.Filters(java.util.List.of(), 0, residual),
    new ScanSpec.Options(0, 0, eager, batchRows)
  )
}
