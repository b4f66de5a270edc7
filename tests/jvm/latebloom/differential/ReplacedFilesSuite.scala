// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import java.io.{File, FileNotFoundException}
import java.nio.file.{Files, StandardCopyOption}

import org.apache.spark.SparkException
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{DataFrame, Row}

import latebloom.{LateBloomTest, LineTest}

/** Files that changed after the driver listed them. */
class ReplacedFilesSuite extends LateBloomTest {
  private val split = "20000"

  /** One file of `rows` rows, in row groups of several splits. */
  private def write(folder: File, rows: Int, from: Int): File = {
    spark.range(from, from + rows, 1, 1)
      .selectExpr("id", "id % 10 as k", "concat('payload ', id * 7919 % 60013) as text")
      .write
      .option("parquet.block.size", split)
      .option("parquet.block.size.row.check.min", "200")
      .parquet(folder.getPath)
    folder.listFiles().find(_.getName.endsWith(".parquet")).get
  }

  private def replace(file: File, by: File): Unit = {
    Files.copy(by.toPath, file.toPath, StandardCopyOption.REPLACE_EXISTING)
    Files.deleteIfExists(file.toPath.resolveSibling(s".${file.getName}.crc"))
  }

  private def withListed(rows: Int, splits: Boolean)(use: (File, File, DataFrame) => Unit): Unit =
    withTempDir { dir =>
      val most = if (splits) split else "128m"
      withSQLConf(SQLConf.FILES_MAX_PARTITION_BYTES.key -> most) {
        val file = write(new File(dir, "listed"), rows, 0)
        val df = spark.read.parquet(file.getParent).where("k = 3")
        assert(df.rdd.getNumPartitions > 1 == splits)
        use(dir, file, df)
      }
    }

  for {
    (what, rows) <- Seq("a longer" -> 9000, "a shorter" -> 3000, "a much shorter" -> 20)
  } test(s"$what file in a file's place is read as it is") {
    withListed(5000, splits = false) { (dir, file, df) =>
      replace(file, write(new File(dir, "other"), rows, 100000))
      // Each time a plan of its own, over the files as they were listed.
      def again = df.where("id >= 0")
      sameAnswer(again)(plan => assert(lateScans(plan).size == 1))
      assert(again.agg("id" -> "min").collect().toSeq == Seq(Row(100003)))
    }
  }

  test("no task uses the former footer of a rewritten file") {
    withListed(5000, splits = true) { (dir, file, df) =>
      replace(file, write(new File(dir, "other"), 5000, 100000))
      sameAnswer(df.where("id >= 0"))(plan => assert(lateScans(plan).size == 1))
    }
  }

  test("a file that is no longer Parquet, or missing, is an error") {
    withListed(5000, splits = false) { (dir, file, df) =>
      val text = new File(dir, "text")
      Files.writeString(text.toPath, "no Parquet file " * 100)
      replace(file, text)
      def failure = intercept[SparkException](df.where("id >= 0").collect())
      def message = LineTest.ofTask(failure).getMessage
      val theirs = off(message)
      assert(theirs.contains(file.getName) && message == theirs)
      Files.delete(file.toPath)
      val causes = Iterator.iterate[Throwable](failure)(_.getCause).takeWhile(_ != null)
      assert(causes.exists(_.isInstanceOf[FileNotFoundException]))
    }
  }
}
