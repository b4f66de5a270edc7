// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.vectorized.ColumnVector

/** The columns of a partition, in vectors as Spark's own scans have them. */
object PartitionVectors {

  /** @param rows
    *   of a batch, at most
    */
  def apply(schema: StructType, values: InternalRow, rows: Int): Array[ColumnVector] =
    schema.fields.zipWithIndex.map { case (field, i) => vector(field.dataType, values, i, rows) }

  /** Spark's own partition columns are no structs; a table format's may be. */
  private def vector(of: DataType, values: InternalRow, i: Int, rows: Int): ConstantColumnVector = {
    val v = new ConstantColumnVector(rows, of)
    of match {
      case s: StructType if !values.isNullAt(i) =>
        val inner = values.getStruct(i, s.length)
        v.setNotNull()
        s.indices.foreach(f => v.setChild(f, vector(s(f).dataType, inner, f, rows)))
      case _ => ColumnVectorUtils.populate(v, values, i)
    }
    v
  }
}
