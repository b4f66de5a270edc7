// SPDX-License-Identifier: Apache-2.0
package latebloom.scan

import scala.runtime.AbstractFunction1

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile

import latebloom.line.Sent

/** How a scan's tasks read a file. All of LateBloom that an executor gets with a scan hangs on it.
  */
@SerialVersionUID(1L)
final private[scan] class ReadFile private (
    read: Sent[PartitionedFile => Iterator[InternalRow]]
) extends AbstractFunction1[PartitionedFile, Iterator[InternalRow]]
    with Serializable {

  override def apply(file: PartitionedFile): Iterator[InternalRow] = read.get(file)
}

private[scan] object ReadFile {
  def apply(read: PartitionedFile => Iterator[InternalRow]): ReadFile = new ReadFile(new Sent(read))
}
