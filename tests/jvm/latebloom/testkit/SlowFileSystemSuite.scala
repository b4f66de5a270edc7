// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit

import java.io.IOException
import java.net.URI
import java.util.Arrays

import org.apache.hadoop.fs.FileSystem

class SlowFileSystemSuite extends SlowStoreTest {

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

  test("a list of files is one request, whatever it says of each") {
    val (requests, read, _) = cost() { (store, path) =>
      val listed = store.listStatus(path.getParent)
      assert(listed.map(f => (f.getPath.getName, f.getLen)).toSeq ==
        Seq((path.getName, bytes.length)))
    }
    assert((requests, read) == ((1, 0)))
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
