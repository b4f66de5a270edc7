// SPDX-License-Identifier: Apache-2.0
package latebloom.orc

import java.io.File

import org.apache.spark.sql.{DataFrame, Row}

import latebloom.LateBloomTest
import latebloom.orc.OrcSurgery.Changes
import latebloom.read.task.Counter

/** An ORC file by Spark, written again with other metadata, and what Spark makes of it. */
trait RewrittenOrc extends LateBloomTest {
  protected val rows = 10000

  /** A file of the numbers from 0 on, as `id` and as text, 1000 to a stride. */
  protected def withFile(changes: Changes)(body: File => Unit): Unit = withTempPath { dir =>
    spark.range(0, rows, 1, 1).selectExpr("id", "concat('w', id) word", "id % 7 few")
      .write
      .option("compression", "none")
      .option("orc.row.index.stride", "1000")
      .orc(dir.getPath)
    val file = dir.listFiles.filter(_.getName.endsWith(".orc")).head
    OrcSurgery.rewrite(file, changes)
    new File(dir, s".${file.getName}.crc").delete()
    body(dir)
  }

  /** Compares with Spark itself, pushed filters and all. */
  protected def check(query: => DataFrame): Seq[Row] = {
    val expected = off(query.collect().toSeq)
    val df = query
    checkAnswer(df, expected)
    assert(lateScans(df).nonEmpty, df.queryExecution.executedPlan)
    expected
  }

  protected def pruned(df: DataFrame): Long = {
    df.collect()
    lateScans(df).map(_.metrics(Counter.ROWS_PRUNED.key).value).sum
  }
}
