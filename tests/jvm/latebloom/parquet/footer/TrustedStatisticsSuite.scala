// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.footer

import org.scalatest.funsuite.AnyFunSuite

class TrustedStatisticsSuite extends AnyFunSuite {
  private val all = new TrustedStatistics(true, true, true, true)
  private val none = new TrustedStatistics(false, false, false, false)

  test("writers and versions without known faults are trusted") {
    for {
      writer <- Seq(
        "parquet-mr version 1.16.0 (build 4a6a2c1)",
        "parquet-mr version 1.11.0 (build 18519eb8e059865652eee3ff0e8593f126701da4)",
        "parquet-mr version 2.0.0",
        "parquet-rs version 54.0.0",
        "parquet-rs version 57.1.0"
      )
    } assert(TrustedStatistics.of(writer) == all, writer)
    for (writer <- Seq("DuckDB version v1.4.1 (build b390a7c376)", "DuckDB version v1.2.0")) {
      assert(TrustedStatistics.of(writer) == new TrustedStatistics(true, true, false, true), writer)
    }
    for (writer <- Seq("parquet-cpp-arrow version 13.0.0", "parquet-cpp-arrow version 26.0.1")) {
      assert(
        TrustedStatistics.of(writer) == new TrustedStatistics(true, false, true, false),
        writer
      )
    }
  }

  test("older versions, third-party builds and unknown writers are not trusted") {
    for {
      writer <- Seq(
        null,
        "",
        "parquet-mr",
        "parquet-mr version",
        "parquet-mr version 1.10.1 (build a89df8f9932b6ef6633d06069e50c9b7970bebd1)",
        "parquet-mr version 1.12.3-amzn-0 (build unknown)",
        "parquet-mr version 1.16.0-SNAPSHOT (build 4a6a2c1)",
        "parquet-mr compatible Photon version 0.2 (build 15.4)",
        "parquet-mr-trino version 400 (build n/a)",
        "parquet-mr version 99999999999999.1.1",
        "parquet-cpp version 1.5.1-SNAPSHOT",
        "parquet-cpp-arrow version 4.0.1",
        "parquet-cpp-arrow version 12.0.1",
        "parquet-rs version 53.2.0",
        "parquet-go version 18.0.0",
        "Arrow2 - Native Rust implementation of Arrow",
        "Polars",
        "DuckDB",
        "DuckDB version v1.1.3 (build 19864453f7)",
        "impala version 4.4.0 (build x)",
        "fastparquet-python version 2024.5.0 (build 0)"
      )
    } assert(TrustedStatistics.of(writer) == none, s"$writer")
  }
}
