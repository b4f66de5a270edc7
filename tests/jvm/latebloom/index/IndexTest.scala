// SPDX-License-Identifier: Apache-2.0
package latebloom.index

import java.io.File

import org.apache.spark.sql.DataFrame

import latebloom.LateBloomTest
import latebloom.read.task.Counter

/** Tables of files that have rested, with skip indexes beside them. */
trait IndexTest extends LateBloomTest {

  protected val formats: Seq[String] = Seq("parquet", "orc")

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    SkipIndex.clear()
  }

  protected def dataFiles(dir: File): Seq[File] =
    Option(dir.listFiles).toSeq.flatten.flatMap { f =>
      if (f.isDirectory && !f.getName.startsWith("_")) dataFiles(f)
      else Seq(f).filter(_.getName.startsWith("part-"))
    }.sortBy(_.getPath)

  private var clock = System.currentTimeMillis() - 86400000L

  /** Makes files look as if they had rested, each state of one with a time of its own. */
  protected def rest(dir: File): Unit = dataFiles(dir).foreach { f =>
    clock += 2000
    assert(f.setLastModified(clock))
  }

  protected def build(table: DataFrame, into: File, columns: String*): IndexBuild.Built =
    SkipIndexes.build(table.queryExecution, columns, into.getPath)

  /** Runs with the index in a folder, and nothing remembered of earlier queries. */
  protected def indexed[A](folder: File, more: (String, String)*)(body: => A): A = under(
    Seq(
      "spark.latebloom.index.path" -> folder.getPath,
      "spark.latebloom.cache.enabled" -> "false"
    ) ++ more: _*
  )(body)

  /** How many files or splits the index left out of a query, whose answer is Spark's. */
  protected def leftOut(query: => DataFrame): Long = {
    def sorted(df: DataFrame) = df.collect().map(_.toString).sorted.toSeq
    // Spark's own pushdown fails in ORC on IN with a NULL, and loses -0.0 in Parquet.
    val expected = under(
      "spark.latebloom.enabled" -> "false",
      "spark.sql.orc.filterPushdown" -> "false",
      "spark.sql.parquet.filterPushdown" -> "false"
    )(sorted(query))
    val df = query
    assert(sorted(df) == expected, df.queryExecution.executedPlan)
    val scans = lateScans(df)
    assert(scans.nonEmpty, df.queryExecution.executedPlan)
    scans.map(_.metrics(Counter.SPLITS_INDEXED.key).value).sum
  }

  /** Calls with a folder of a table in each format, and one for its index. */
  protected def inEach(write: (File, String) => Unit)(body: (File, File, String) => Unit): Unit =
    formats.foreach { format =>
      withClue(format) {
        withTempDir { dir =>
          val table = new File(dir, "table")
          write(table, format)
          rest(table)
          body(table, new File(dir, "index"), format)
        }
      }
    }
}
