// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType

/** The rows of a scan as Spark's operators take them; a row is valid until the next.
  *
  * The code of the projection is generated when there is a row: of many columns that takes longer
  * than a selective scan's task that finds none.
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
