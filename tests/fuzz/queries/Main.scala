// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

import java.nio.file.Files

import org.apache.spark.network.util.JavaUtils

/** Random queries on random tables, with LateBloom off and on: see `--help`. */
object Main {
  def main(args: Array[String]): Unit = {
    val options = Options.parse(args.toSeq)
    // Otherwise Spark compiles all expressions, which takes longer than everything else.
    System.setProperty("spark.testing", "true")
    val directory = Files.createTempDirectory("latebloom-fuzz")
    val engine = new Engine(directory, cores = 2, options.broadcastThreads)
    val hunt = new Hunt(engine, options)
    val ok =
      try hunt.run()
      finally JavaUtils.deleteRecursively(directory.toFile)
    // Threads that a query left waiting must not keep the process alive.
    System.out.flush()
    Runtime.getRuntime.halt(if (ok) 0 else 1)
  }
}
