// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import org.apache.parquet.hadoop.metadata.FileMetaData

import org.apache.spark.sql.execution.datasources.PartitionedFile

/** What a table format knows of the columns in its files, file by file. Used by tasks. */
trait FileColumns extends Serializable {

  /** Whether LateBloom may read the file, as far as that is known before it is opened. */
  def areIn(file: PartitionedFile): Boolean

  /** Whether the file has the columns as the scan expects them. */
  def areIn(file: PartitionedFile, meta: FileMetaData): Boolean

  /** The filters on the names that the file has for the columns. */
  def named(pushed: PushedFilters, meta: FileMetaData): PushedFilters
}

object FileColumns {

  /** Of files that have the scan's names. */
  object SameNames extends FileColumns {
    override def areIn(file: PartitionedFile): Boolean = true
    override def areIn(file: PartitionedFile, meta: FileMetaData): Boolean = true
    override def named(pushed: PushedFilters, meta: FileMetaData): PushedFilters = pushed
  }
}
