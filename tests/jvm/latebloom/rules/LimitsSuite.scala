// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import org.apache.spark.sql.execution.SparkPlan

import latebloom.BothFormatsTest
import latebloom.read.task.Counter
import latebloom.scan.LateScan

/** LIMIT without an order: no more is read than it takes. */
class LimitsSuite extends BothFormatsTest {

  override protected val tables: Seq[String] = Seq("facts")

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.topK.minScanBytes", "0")
    for (format <- formats)
      spark.range(0, 300000, 1, 2)
        .selectExpr("id", "hash(id) h", "concat('text ', hash(id)) text", "id % 1000 k")
        .write.option("parquet.page.row.count.limit", 5000).option("parquet.page.size", 16384)
        .option("orc.compress.size", 16384)
        .format(format).saveAsTable(s"facts_$format")
  }

  private def limited(plan: SparkPlan): Seq[LateScan] =
    nodes(plan) { case s: LateScan if s.options.isLimited => s }

  private def bytes(scan: LateScan, counter: Counter): Long = scan.metrics(counter.key).value

  test("without a filter, the first pages are read") {
    withSQLConf("spark.latebloom.io.mergeGapBytes" -> "0") {
      inBoth("select * from facts limit 10") { plan =>
        val scan = limited(plan).head
        assert(limited(plan).size == 1 && scan.options.wantedRows == 10)
        assert(bytes(scan, Counter.BYTES_FETCHED) * 4 < bytes(scan, Counter.BYTES_AVOIDED))
      }
    }
  }

  test("with a filter that few rows pass, windows grow until there are enough") {
    inBoth("select * from facts where k = 7 limit 20") { plan =>
      assert(limited(plan).size == 1)
      assert(limited(plan).head.metrics("numOutputRows").value < 150)
    }
    inBoth("select text from facts where k = 7 limit 1000")(plan => assert(limited(plan).size == 1))
  }

  test("below a projection, and a filter that stays above") {
    inBoth("select upper(text), id + 1 from facts limit 3")(plan => assert(limited(plan).size == 1))
    inBoth("select * from facts where text rlike '1$' and h > 0 limit 30") { plan =>
      assert(limited(plan).size == 1)
    }
  }

  test("take, head and show") {
    for (format <- formats) {
      val df = spark.table(s"facts_$format")
      assert(df.take(5).toSeq == off(spark.table(s"facts_$format").take(5).toSeq))
      assert(df.head() == off(spark.table(s"facts_$format").head()))
    }
  }

  test("no limit, one of many rows, or one above other nodes") {
    inBoth("select * from facts limit 20000")(plan => assert(limited(plan).isEmpty))
    inBoth("select k, count(*) from facts group by k order by k limit 3") { plan =>
      assert(limited(plan).isEmpty)
    }
    withSQLConf("spark.latebloom.limit.enabled" -> "false") {
      inBoth("select * from facts limit 10")(plan => assert(limited(plan).isEmpty))
    }
    withSQLConf("spark.latebloom.topK.minScanBytes" -> "1g") {
      inBoth("select * from facts limit 10")(plan => assert(limited(plan).isEmpty))
    }
  }
}
