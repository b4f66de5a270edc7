// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

import java.nio.file.Files

import org.apache.spark.network.util.JavaUtils

/** Random queries on random tables, with LateBloom off and on: see `--help`. */
object Main {
  def main(args: Array[String]): Unit = {
    val options = Options.parse(args.toSeq)
    // Else Spark compiles whatever it runs, which takes longer than all the rest.
    System.setProperty("spark.testing", "true")
    val directory = Files.createTempDirectory("latebloom-fuzz")
    val engine = new Engine(directory, cores = 2, options.broadcastThreads)
    val hunt = new Hunt(engine, options)
    val ok =
      try hunt.run()
      finally JavaUtils.deleteRecursively(directory.toFile)
    // Threads that a query has left waiting must not keep the process.
    System.out.flush()
    Runtime.getRuntime.halt(if (ok) 0 else 1)
  }
}
