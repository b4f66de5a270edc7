// SPDX-License-Identifier: Apache-2.0

package latebloom.suites.iceberg

import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}

import latebloom.LateBloomExtensions
import latebloom.suites.ScanCount

/** Found by every session of the JVM, since Iceberg's tests name the extensions of theirs. */
final class Attached extends SparkSessionExtensionsProvider {
  override def apply(extensions: SparkSessionExtensions): Unit = if (Attached.wanted) {
    new LateBloomExtensions().apply(extensions)
    new ScanCount().apply(extensions)
  }
}

object Attached {
  @volatile var wanted: Boolean = false
}
