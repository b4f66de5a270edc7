// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io

import java.net.URI
import java.nio.file.{AccessDeniedException, Files, Path => LocalPath}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path, RawLocalFileSystem}
import org.scalatest.funsuite.AnyFunSuite

import latebloom.testkit.SlowFileSystem

class UnchangedFilesSuite extends AnyFunSuite {

  private val conf = new Configuration()
  conf.set("fs.slow.impl", classOf[SlowFileSystem].getName)
  conf.set("fs.refused.impl", classOf[RefusingStore].getName)

  private def inDirectory(test: LocalPath => Unit): Unit =
    test(Files.createTempDirectory("latebloom-unchanged"))

  private def write(dir: LocalPath, name: String, text: String, modified: Long): Path = {
    val file = Files.write(dir.resolve(name), text.getBytes)
    assert(file.toFile.setLastModified(modified))
    new Path(s"slow:$file")
  }

  private def unchanged(run: String, file: Path, length: Long, modified: Long) =
    UnchangedFiles.isUnchanged(run, file, length, modified, conf)

  test("a file of another length or time is another one, and so is none") {
    inDirectory { dir =>
      val file = write(dir, "a", "abc", 1000000)
      assert(unchanged("1", file, 3, 1000000))
      assert(!unchanged("1", file, 4, 1000000) && !unchanged("1", file, 3, 1001000))
      assert(!unchanged("1", new Path(file.getParent, "none"), 3, 1000000))
      assert(!unchanged("1", new Path("slow:/no/such/directory/a"), 3, 1000000))
    }
  }

  test("the store is asked twice for all files of a directory, again in another run") {
    inDirectory { dir =>
      val files = (1 to 50).map(i => write(dir, s"f$i", "x" * i, 1000000L * i))
      val before = SlowFileSystem.requests()
      for (_ <- 1 to 2; (file, i) <- files.zipWithIndex)
        assert(unchanged("2", file, i + 1, 1000000L * (i + 1)))
      assert(SlowFileSystem.requests() == before + 2)
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

  test("a store that refuses is asked twice, and no file is said to be the same") {
    RefusingStore.asked.set(0)
    for (i <- 1 to 9) assert(!unchanged("4", new Path(s"refused:/d/f$i"), 1, 1000000))
    assert(RefusingStore.asked.get == 2)
  }
}

/** Neither says anything of a file nor lists any, by errors of two kinds. */
class RefusingStore extends RawLocalFileSystem {
  override def getScheme: String = "refused"

  override def getUri: URI = URI.create("refused:///")

  override def getFileStatus(file: Path): FileStatus = {
    RefusingStore.asked.incrementAndGet()
    throw new AccessDeniedException(file.toString)
  }

  override def listStatus(directory: Path): Array[FileStatus] = {
    RefusingStore.asked.incrementAndGet()
    throw new UnsupportedOperationException("no lists")
  }
}

object RefusingStore {
  val asked = new AtomicInteger
}
