// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit

import java.net.URI
import java.nio.ByteBuffer
import java.nio.file.Files
import java.util.concurrent.CountDownLatch

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

/** Leaks that a test makes on purpose are found. */
class LevelsSuite extends AnyFunSuite {

  private def left(body: => AutoCloseable): Seq[String] = {
    val before = Levels.now(0)
    val kept = body
    try Levels.now(0).above(before)
    finally kept.close()
  }

  test("no leak is found where there is none") {
    assert(left(() => ()).isEmpty)
  }

  test("an open stream is found") {
    val file = Files.createTempFile("levels", "")
    val store = new FaultyFileSystem
    store.initialize(URI.create("faulty:///"), new Configuration(false))
    assert(left(store.open(new Path(s"faulty:$file"))) == Seq("1 open streams"))
    assert(left(() => ()).isEmpty)
    Files.delete(file)
  }

  test("threads are found") {
    val end = new CountDownLatch(1)
    val found = left {
      val threads = Seq.tabulate(20)(i => new Thread(() => end.await(), s"left-$i"))
      threads.foreach(_.start())
      () => {
        end.countDown()
        threads.foreach(_.join())
      }
    }
    assert(found == Seq("20 threads named 'left-#', 0 before"))
  }

  test("direct memory is found") {
    val found = left {
      val buffer = ByteBuffer.allocateDirect(32 << 20)
      () => assert(buffer.capacity() > 0)
    }
    assert(found.size == 1 && found.head.startsWith("direct memory "), found)
  }

  test("heap is found") {
    val found = left {
      val bytes = new Array[Byte](64 << 20)
      () => assert(bytes.length > 0)
    }
    assert(found.size == 1 && found.head.startsWith("heap "), found)
  }
}
