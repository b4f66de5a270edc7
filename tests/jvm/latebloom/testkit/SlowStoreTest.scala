// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit

import java.net.URI
import java.nio.file.Files
import java.util.concurrent.TimeUnit.NANOSECONDS

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.scalatest.funsuite.AnyFunSuite

/** Measures what the use of a slow store costs. */
abstract class SlowStoreTest extends AnyFunSuite {
  protected val bytes = Array.tabulate(100000)(_.toByte)

  protected def conf(settings: (String, String)*): Configuration = {
    val made = new Configuration(false)
    made.set("fs.slow.impl", classOf[SlowFileSystem].getName)
    settings.foreach { case (key, value) => made.set(key, value) }
    made
  }

  /** What `use` of a file of 100,000 bytes, alone in its folder, costs: requests, bytes,
    * milliseconds.
    */
  protected def cost(settings: (String, String)*)(use: (
      FileSystem,
      Path
  ) => Unit): (Long, Long, Long) = {
    val folder = Files.createTempDirectory("slow")
    val file = folder.resolve("slow.bin")
    try {
      Files.write(file, bytes)
      val store = FileSystem.newInstance(URI.create("slow:///"), conf(settings: _*))
        .asInstanceOf[SlowFileSystem]
      val start = System.nanoTime()
      use(store, new Path("slow://" + file))
      val took = NANOSECONDS.toMillis(System.nanoTime() - start)
      (store.ownRequests(), store.ownBytes(), took)
    } finally {
      Files.deleteIfExists(file)
      Files.delete(folder)
    }
  }
}
