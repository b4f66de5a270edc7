// SPDX-License-Identifier: Apache-2.0
package latebloom

import org.apache.parquet.bytes.ByteBufferAllocator
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

/** Writers that not every parquet-java has. */
object LineWriters {

  /** There is none of BYTE_STREAM_SPLIT but for floating-point values. */
  def byteStreamSplit(
      of: PrimitiveTypeName,
      width: Int,
      heap: ByteBufferAllocator
  ): Option[ValuesWriter] = None
}
