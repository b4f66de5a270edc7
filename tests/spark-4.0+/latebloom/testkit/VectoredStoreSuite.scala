// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit

import java.io.IOException
import java.nio.ByteBuffer
import java.util.Arrays
import java.util.concurrent.TimeUnit.SECONDS

import org.apache.hadoop.fs.FileRange

class VectoredStoreSuite extends SlowStoreTest {

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
}
