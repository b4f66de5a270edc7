// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.execution.FileSourceScanExec

/** What scans of files say of themselves. */
private[latebloom] object FileScans {

  /** Whether the scan reads what a streaming source has found: the logical plan knows. */
  def isStreaming(scan: FileSourceScanExec): Boolean = scan.logicalLink.exists(_.isStreaming)
}
