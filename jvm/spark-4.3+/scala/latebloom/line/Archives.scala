// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.execution.datasources.SupportsArchiveFormat

/** Archives of files, which Spark reads as if their entries were files. */
private[latebloom] object Archives {

  /** Whether it is one by its name, which is what Spark goes by. */
  def isArchive(file: Path): Boolean = SupportsArchiveFormat.isArchivePath(file)
}
