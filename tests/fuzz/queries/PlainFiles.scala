// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{Path, RawLocalFileSystem}

/** Local files without checksums and permissions: to set one, Hadoop starts a process. */
final class PlainFiles extends RawLocalFileSystem {
  override def setPermission(path: Path, permission: FsPermission): Unit = ()
}
