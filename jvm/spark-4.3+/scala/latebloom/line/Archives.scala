// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.execution.datasources.SupportsArchiveFormat

/** Archives, whose entries Spark reads as if they were files. */
private[latebloom] object Archives {

  /** Whether Spark reads the file as an archive, which it decides by the file's name. */
  def isArchive(file: Path): Boolean = SupportsArchiveFormat.isArchivePath(file)
}
