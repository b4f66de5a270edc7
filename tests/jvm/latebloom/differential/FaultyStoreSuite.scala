// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import java.nio.file.{Files, Path}

import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.SparkSession

import latebloom.testkit.{FaultRun, FaultyFileSystem}

/** A short run of `dev/fuzz faults`. */
class FaultyStoreSuite extends AnyFunSuite with BeforeAndAfterAll {
  private var folder: Path = _
  private var spark: SparkSession = _
  private var faults: FaultRun = _

  override def beforeAll(): Unit = {
    super.beforeAll()
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    folder = Files.createTempDirectory("latebloom-faults")
    spark = FaultRun.session(folder.toFile)
    // Each fault is a warning, with its stack.
    spark.sparkContext.setLogLevel("OFF")
    faults = new FaultRun(spark, folder)
    faults.write()
  }

  override def afterAll(): Unit =
    try {
      FaultyFileSystem.repair()
      spark.sparkContext.setLogLevel("WARN")
      spark.stop()
      JavaUtils.deleteRecursively(folder.toFile)
    } finally super.afterAll()

  test("over a faulty store a hundred queries end as Spark's do, and leave nothing behind") {
    val found = faults.run(100, 1, note => info(note))
    info(faults.outcomes.toSeq.sorted.mkString(", "))
    assert(found.isEmpty, found.mkString("\n"))
    val ends = faults.outcomes.keys.map(_.split(": ").last).toSet
    assert(ends == Set("answered", "failed", "cancelled"), "tests too little")
  }
}
