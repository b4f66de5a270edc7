// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.faults

import java.nio.file.Files

import org.apache.spark.network.util.JavaUtils

import latebloom.testkit.{FaultRun, FaultyFileSystem}

/** `dev/fuzz faults`: see the usage. */
object Main {
  private val usage =
    """dev/fuzz faults [--queries N] [--seed N] [--memory MIB]
      |  Runs queries (1,000) over a store that fails, stalls, hangs and truncates; cancels some. Each must
      |  end with Spark's answer or an error that says what went wrong; open streams, threads, direct
      |  memory and heap must afterwards be where they were after the first quarter. --memory leaves Spark's
      |  memory manager no more than so much for all tasks.""".stripMargin

  def main(args: Array[String]): Unit = {
    val options = args.toSeq.grouped(2).map {
      case Seq(key @ ("--queries" | "--seed" | "--memory"), value)
          if value.toLongOption.isDefined =>
        key -> value.toLong
      case _ =>
        println(usage)
        sys.exit(2)
    }.toMap
    val queries = options.getOrElse("--queries", 1000L).toInt
    val seed = options.getOrElse("--seed", System.nanoTime())
    println(s"seed $seed")
    val folder = Files.createTempDirectory("latebloom-faults")
    val spark = FaultRun.session(folder.toFile, options.get("--memory"))
    // Spark logs each fault as a warning with its stack trace.
    spark.sparkContext.setLogLevel("OFF")
    val found =
      try {
        val run = new FaultRun(spark, folder)
        run.write()
        val found = run.run(queries, seed, println)
        run.outcomes.toSeq.sorted.foreach { case (end, n) => println(f"$n%6d $end") }
        found
      } finally {
        spark.stop()
        JavaUtils.deleteRecursively(folder.toFile)
      }
    found.foreach(println)
    println(
      s"$queries queries, ${FaultyFileSystem.faults()} faults, ${found.size} found, seed $seed"
    )
    sys.exit(if (found.isEmpty) 0 else 1)
  }
}
