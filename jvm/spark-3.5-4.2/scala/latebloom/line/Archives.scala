// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.hadoop.fs.Path

/** Archives, whose entries Spark reads as if they were files. */
private[latebloom] object Archives {

  /** Whether Spark reads the file as an archive: never in these lines. */
  def isArchive(file: Path): Boolean = false
}
