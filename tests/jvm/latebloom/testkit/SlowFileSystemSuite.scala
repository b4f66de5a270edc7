// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit

import java.io.IOException
import java.net.URI
import java.nio.ByteBuffer
import java.nio.file.Files
import java.util.Arrays
import java.util.concurrent.TimeUnit.{NANOSECONDS, SECONDS}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileRange, FileSystem, Path}
import org.scalatest.funsuite.AnyFunSuite

class SlowFileSystemSuite extends AnyFunSuite {
  private val bytes = Array.tabulate(100000)(_.toByte)

  private def conf(settings: (String, String)*): Configuration = {
    val made = new Configuration(false)
    made.set("fs.slow.impl", classOf[SlowFileSystem].getName)
    settings.foreach { case (key, value) => made.set(key, value) }
    made
  }

  /** The cost of `use` of a file of 100,000 bytes: requests, bytes, milliseconds. */
  private def cost(settings: (String, String)*)(use: (
      FileSystem,
      Path
  ) => Unit): (Long, Long, Long) = {
    val file = Files.createTempFile("slow", ".bin")
    try {
      Files.write(file, bytes)
      val store = FileSystem.newInstance(URI.create("slow:///"), conf(settings: _*))
      val (requests, read) = (SlowFileSystem.requests(), SlowFileSystem.bytes())
      val start = System.nanoTime()
      use(store, new Path("slow://" + file))
      val took = NANOSECONDS.toMillis(System.nanoTime() - start)
      (SlowFileSystem.requests() - requests, SlowFileSystem.bytes() - read, took)
    } finally Files.delete(file)
  }

  test("opening costs a status request, and a stream costs one request until a seek") {
    val (requests, read, _) = cost() { (store, path) =>
      val in = store.open(path)
      val into = new Array[Byte](1000)
      in.readFully(into)
      in.readFully(into)
      assert(in.read() == (2000 & 0xff))
      in.seek(50000)
      in.readFully(into)
      assert(Arrays.equals(into, bytes.slice(50000, 51000)))
      in.close()
    }
    assert((requests, read) == ((3, 3001)))
  }

  test("each positioned read is a request, and so is a file's status") {
    val (requests, read, _) = cost() { (store, path) =>
      assert(store.getFileStatus(path).getLen == bytes.length)
      val in = store.open(path)
      in.readFully(70, new Array[Byte](30))
      in.readFully(10, new Array[Byte](20))
      in.close()
    }
    assert((requests, read) == ((4, 50)))
  }

  test("each range of a vectored read is a request, and they wait together") {
    val ranges = Arrays.asList((0 until 20).map(i => FileRange.createFileRange(i * 4000L, 100)): _*)
    val (requests, read, took) = cost("fs.slow.latencyMs" -> "200") { (store, path) =>
      val in = store.open(path)
      in.readVectored(ranges, (n: Int) => ByteBuffer.allocate(n))
      ranges.forEach { range =>
        val data = range.getData.get(60, SECONDS)
        assert(data.remaining == 100 && data.get(7) == bytes(range.getOffset.toInt + 7))
      }
      in.close()
    }
    assert((requests, read) == ((21, 2000)))
    // One after another they would take four seconds.
    assert(took >= 200 && took < 4000)
  }

  test("a range beyond the end fails its future") {
    cost() { (store, path) =>
      val in = store.open(path)
      val beyond = FileRange.createFileRange(99990, 100)
      in.readVectored(Arrays.asList(beyond), (n: Int) => ByteBuffer.allocate(n))
      val failed = intercept[Exception](beyond.getData.get(60, SECONDS))
      assert(failed.getCause.isInstanceOf[IOException])
      in.close()
    }
  }

  test("each request waits for the latency") {
    val (_, _, took) = cost("fs.slow.latencyMs" -> "50") { (store, path) =>
      val in = store.open(path)
      (0 until 4).foreach(i => in.readFully(i * 9L, new Array[Byte](3)))
      in.close()
    }
    assert(took >= 200)
  }

  test("bytes flow no faster than the throughput") {
    val (_, _, took) = cost("fs.slow.bytesPerSecond" -> "200000") { (store, path) =>
      val in = store.open(path)
      in.readFully(new Array[Byte](bytes.length))
      in.close()
    }
    assert(took >= 500)
  }

  test("an invalid amount is an error that names the setting") {
    for (key <- Seq("fs.slow.latencyMs", "fs.slow.bytesPerSecond"); value <- Seq("-1", "fast")) {
      val refused = intercept[IOException] {
        FileSystem.newInstance(URI.create("slow:///"), conf(key -> value))
      }
      assert(refused.getMessage.contains(s"$key = $value"))
    }
  }
}
