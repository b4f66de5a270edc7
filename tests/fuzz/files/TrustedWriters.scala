// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import scala.util.Try

import latebloom.fuzz.files.damage.{OrcParts, ParquetParts}

/** The writers whose statistics LateBloom documents as trusted for pruning where Spark does not
  * prune. Repeats the lists of `TrustedStatistics` for Parquet and of `Statistics.areOfKnownWriter`
  * for ORC, so that the fuzzer finds a reader that departs from them.
  */
object TrustedWriters {
  private val JavaOrc = 0
  private val FirstOrc = 7
  private val LastOrc = 9

  /** Whether LateBloom may prune the file's rows by column bounds and the keys of a join. */
  def bound(c: FileCase): Boolean =
    if (c.seed.isParquet) ParquetParts.writer(c.bytes).exists(boundParquet)
    else OrcParts.writer(c.bytes).exists { case (writer, version) =>
      writer == JavaOrc && FirstOrc <= version && version <= LastOrc
    }

  private def boundParquet(createdBy: String): Boolean = createdBy.split(" version v?") match {
    case Array(name, version) =>
      val numbers = version.takeWhile(_ != ' ').split("\\.").map(n => Try(n.toInt).getOrElse(-1))
      (name, numbers) match {
        case ("parquet-mr", Array(major, minor, _))    => major > 1 || major == 1 && minor >= 11
        case ("parquet-rs", Array(major, _, _))        => major >= 54
        case ("DuckDB", Array(major, minor, _))        => major > 1 || major == 1 && minor >= 2
        case ("parquet-cpp-arrow", Array(major, _, _)) => major >= 13
        case _                                         => false
      }
    case _ => false
  }
}
