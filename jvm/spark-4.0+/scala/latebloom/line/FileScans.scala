// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.execution.FileSourceScanExec

/** What scans of files say of themselves. */
private[latebloom] object FileScans {

  /** Whether the scan reads what a streaming source has found. */
  def isStreaming(scan: FileSourceScanExec): Boolean = scan.stream.isDefined
}
