// SPDX-License-Identifier: Apache-2.0
package latebloom

import org.apache.parquet.bytes.ByteBufferAllocator
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.bytestreamsplit.ByteStreamSplitValuesWriter._
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

/** Writers that not every parquet-java has. */
object LineWriters {

  /** Of BYTE_STREAM_SPLIT, for values of `width` bytes that are not floating-point. */
  def byteStreamSplit(
      of: PrimitiveTypeName,
      width: Int,
      heap: ByteBufferAllocator
  ): Option[ValuesWriter] = of match {
    case INT32 => Some(new IntegerByteStreamSplitValuesWriter(64, 1 << 20, heap))
    case INT64 => Some(new LongByteStreamSplitValuesWriter(64, 1 << 20, heap))
    case _     => Some(new FixedLenByteArrayByteStreamSplitValuesWriter(width, 64, 1 << 20, heap))
  }
}
