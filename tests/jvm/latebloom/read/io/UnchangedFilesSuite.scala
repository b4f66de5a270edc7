// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io

import java.nio.file.{Files, Path => LocalPath}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path, RawLocalFileSystem}
import org.scalatest.funsuite.AnyFunSuite

class UnchangedFilesSuite extends AnyFunSuite {

  private val conf = new Configuration()
  conf.set("fs.counted.impl", classOf[CountedStore].getName)
  conf.setBoolean("fs.counted.impl.disable.cache", true)

  private def inDirectory(test: LocalPath => Unit): Unit =
    test(Files.createTempDirectory("latebloom-unchanged"))

  private def write(dir: LocalPath, name: String, text: String, modified: Long): Path = {
    val file = Files.write(dir.resolve(name), text.getBytes)
    assert(file.toFile.setLastModified(modified))
    new Path(s"counted:$file")
  }

  private def unchanged(run: String, file: Path, length: Long, modified: Long) =
    UnchangedFiles.isUnchanged(run, file, length, modified, conf)

  test("a file of another length or time is another one, and so is none") {
    inDirectory { dir =>
      val file = write(dir, "a", "abc", 1000000)
      assert(unchanged("1", file, 3, 1000000))
      assert(!unchanged("1", file, 4, 1000000) && !unchanged("1", file, 3, 1001000))
      assert(!unchanged("1", new Path(file.getParent, "none"), 3, 1000000))
      assert(!unchanged("1", new Path("counted:/no/such/directory/a"), 3, 1000000))
    }
  }

  test("the store is asked twice for all files of a directory, again in another run") {
    inDirectory { dir =>
      val files = (1 to 50).map(i => write(dir, s"f$i", "x" * i, 1000000L * i))
      CountedStore.requests = 0
      for (_ <- 1 to 2; (file, i) <- files.zipWithIndex)
        assert(unchanged("2", file, i + 1, 1000000L * (i + 1)))
      assert(CountedStore.requests == 2)
      write(dir, "f1", "y", 5000)
      assert(!unchanged("3", files.head, 1, 1000000))
    }
  }

  test("a file has rested if it was written some seconds ago") {
    val now = System.currentTimeMillis()
    assert(UnchangedFiles.isSettled(now - 2 * UnchangedFiles.SETTLED_MILLIS))
    assert(!UnchangedFiles.isSettled(now) && !UnchangedFiles.isSettled(now + 100000))
    assert(!UnchangedFiles.isSettled(0), "the store does not say")
  }
}

/** Counts what it is asked about files. */
class CountedStore extends RawLocalFileSystem {
  override def getScheme: String = "counted"

  override def getUri: java.net.URI = java.net.URI.create("counted:///")

  override def getFileStatus(file: Path): FileStatus = {
    if (!CountedStore.inside) CountedStore.requests += 1
    super.getFileStatus(file)
  }

  override def listStatus(directory: Path): Array[FileStatus] = {
    CountedStore.requests += 1
    CountedStore.inside = true
    try super.listStatus(directory)
    finally CountedStore.inside = false
  }
}

object CountedStore {
  @volatile var requests = 0
  @volatile var inside = false
}
