// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{Path, RawLocalFileSystem}

/** Local files without checksums and permissions: Hadoop starts a process to set permissions. */
final class PlainFiles extends RawLocalFileSystem {
  override def setPermission(path: Path, permission: FsPermission): Unit = ()
}
