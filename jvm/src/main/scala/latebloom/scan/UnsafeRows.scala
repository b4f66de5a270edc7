// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType

/** The rows of a scan as Spark's operators take them; a row is valid until the next.
  *
  * The code of the projection is generated when there is a row: of 166 columns that took 8 ms a
  * task, which is a third of a scan of which most tasks find nothing.
  */
final private class UnsafeRows(rows: Iterator[InternalRow], schema: StructType, count: SQLMetric)
    extends Iterator[InternalRow] {
  private lazy val unsafe = UnsafeProjection.create(schema)

  override def hasNext: Boolean = rows.hasNext

  override def next(): InternalRow = {
    val row = rows.next()
    count += 1
    unsafe(row)
  }
}
