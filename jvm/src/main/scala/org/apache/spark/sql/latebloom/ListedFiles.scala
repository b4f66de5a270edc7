// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory}
import org.apache.spark.sql.types.StructType

/** Some of the files of another index. */
final class ListedFiles(of: FileIndex, directories: Seq[PartitionDirectory])
    extends FileIndex {
  override def rootPaths: Seq[Path] = of.rootPaths

  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] = directories

  override def inputFiles: Array[String] =
    directories.flatMap(_.files).map(_.getPath.toString).toArray

  override def refresh(): Unit = of.refresh()

  override def sizeInBytes: Long = directories.flatMap(_.files).map(_.getLen).sum

  override def partitionSchema: StructType = of.partitionSchema
}
