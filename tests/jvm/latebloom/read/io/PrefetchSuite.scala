// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io

import org.apache.spark.sql.DataFrame

import latebloom.read.task.Counter
import latebloom.testkit.{RowGroups, SlowFileSystem}
import latebloom.{LateBloomTest, LineTest}

class PrefetchSuite extends LateBloomTest {

  /** Many small row groups, or stripes, in one file. */
  private def withData(format: String)(body: String => Unit): Unit = withTempPath { dir =>
    spark.range(0, 40000, 1, 1)
      .selectExpr("id", "id * 7 % 1000 k", "concat('text ', id * 7919 % 40009) s")
      .write
      .options(RowGroups.of(2000))
      .option("orc.stripe.row.count", "2000")
      .format(format).save(dir.getPath)
    // Not options of the reader, whose keys reach the tasks in lower case.
    withSQLConf(
      "fs.slow.impl" -> classOf[SlowFileSystem].getName,
      "fs.slow.impl.disable.cache" -> "true",
      "fs.slow.latencyMs" -> "5",
      // Not the default of every parquet-java.
      "parquet.hadoop.vectored.io.enabled" -> "true"
    )(body(dir.toURI.getPath))
  }

  private def read(format: String, path: String): DataFrame = spark.read
    .format(format).load(path).where("k < 300 and s like '%7%'")

  private def prefetched(df: DataFrame): Long =
    lateScans(df).map(_.metrics(Counter.ROW_GROUPS_PREFETCHED.key).value).sum

  for (format <- Seq("parquet", "orc")) {
    test(s"row groups of $format in a slow store are fetched ahead") {
      assume(LineTest.hasVectoredReads, "this line's Hadoop has no vectored reads")
      withData(format) { path =>
        val expected = off(read(format, s"file:$path").collect().toSeq)
        val slow = read(format, s"slow:$path")
        checkAnswer(slow, expected)
        assert(prefetched(slow) > 2)
      }
    }

    test(s"a LIMIT over $format in a slow store fetches nothing ahead") {
      withData(format) { path =>
        val limited = read(format, s"slow:$path").limit(1)
        assert(limited.collect().length == 1)
        assert(prefetched(limited) == 0)
      }
    }
  }
}
