// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.execution.FileSourceScanExec

/** Properties of file scans. */
private[latebloom] object FileScans {

  /** Whether the scan reads a micro-batch of a stream. */
  def isStreaming(scan: FileSourceScanExec): Boolean = scan.stream.isDefined
}
