// SPDX-License-Identifier: Apache-2.0
package latebloom.differential

import org.apache.spark.sql.DataFrame

import latebloom.LateBloomTest
import latebloom.testkit.SlowFileSystem

/** The requests of a scan to a slow store. */
class SlowStoreSuite extends LateBloomTest {

  private def requests(query: DataFrame): Long = {
    val before = SlowFileSystem.requests()
    query.collect()
    SlowFileSystem.requests() - before
  }

  test("a small file is one request, besides that of opening it") {
    withTempDir { dir =>
      val file = s"${dir.getPath}/table"
      spark.range(0, 10000, 1, 1).selectExpr("id", "id % 100 k", "cast(id as string) text")
        .write.parquet(file)
      val bytes = dir.toPath.resolve("table").toFile.listFiles().map(_.length).max
      // More than is read with any footer, less than an eighth of what comes in 20 ms.
      assert(bytes > 20000 && bytes < 200000)
      withSQLConf(
        "fs.slow.impl" -> classOf[SlowFileSystem].getName,
        "fs.slow.impl.disable.cache" -> "true",
        "fs.slow.latencyMs" -> "20"
      ) {
        def query = spark.read.parquet(s"slow://$file").where("k = 7")
        sameAnswer(query)(plan => assert(lateScans(plan).size == 1))
        // Listed before it is run.
        assert(requests(query) == 2)
        assert(off(requests(query)) > 4)
      }
    }
  }
}
