// SPDX-License-Identifier: Apache-2.0

package latebloom.suites.iceberg

import latebloom.suites.Runner

/** Runs Iceberg's tests for Spark. */
object Main {

  def main(args: Array[String]): Unit = {
    val version = sys.props("latebloom.suites.version")
    // Hive's metastore writes its schema out: only what is ours goes to standard output.
    Console.out.flush()
    System.setOut(System.err)
    new Runner(s"Iceberg $version", s"iceberg-$version", Suites, JUnitRun(_)).main(args.toSeq) {
      Attached.wanted = true
    }
  }
}
