// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType

/** Converts a scan's rows to the form that Spark's operators take; a row is valid until the next
  * one.
  *
  * Generates the projection's code at the first row: for many columns that takes longer than a
  * selective task that finds no row.
  */
final private class UnsafeRows(rows: Iterator[InternalRow], schema: StructType, count: SQLMetric)
    extends AbstractIterator[InternalRow] {
  private lazy val unsafe = UnsafeProjection.create(schema)

  override def hasNext: Boolean = rows.hasNext

  override def next(): InternalRow = {
    val row = rows.next()
    count += 1
    unsafe(row)
  }
}
