// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

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

  test("above joins that stream the scan's rows") {
    val few = "(select id * 1000 + 7 f from range(300)) few"
    for (join <- Seq("left semi join", "left anti join", "join", "left join")) {
      inBoth(s"select facts.* from facts $join $few on id = f limit 2") { plan =>
        assert(limited(plan).size == 1)
        assert(limited(plan).head.metrics("numOutputRows").value < 10000)
      }
    }
    inBoth(s"select * from facts where k > 2 and id not in (select id from range(3)) limit 2") {
      plan => assert(limited(plan).size == 1)
    }
  }

  test("EXISTS and other subqueries with a LIMIT stop at their first rows") {
    for (adaptive <- Seq(true, false))
      withSQLConf(
        SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> s"$adaptive",
        SQLConf.FILES_MAX_PARTITION_BYTES.key -> "50k"
      ) {
        inBoth("select id from range(3) where exists (select * from facts where k = 7)") { plan =>
          assert(limited(plan).size == 1)
          val scan = limited(plan).head
          assert(scan.inputRDD.getNumPartitions > 30)
          assert(scan.metrics("numOutputRows").value <= 20)
        }
        inBoth("select id from range(3) where not exists (select * from facts where k = 7777)") {
          plan => assert(limited(plan).size == 1)
        }
        inBoth("select (select text from facts where id = 222222 limit 1) found") { plan =>
          assert(limited(plan).size == 1)
        }
        inBoth("select id from range(3) where exists (select * from facts where k < 7 limit 0)")(
          _ =>
            ()
        )
      }
    withSQLConf("spark.latebloom.limit.enabled" -> "false") {
      inBoth("select id from range(3) where exists (select * from facts where k = 7)") { plan =>
        assert(limited(plan).isEmpty)
      }
    }
  }

  test("an error in a subquery that stops early is Spark's") {
    for (format <- formats) {
      def found = spark.sql(
        s"select id from range(3) where exists (select * from facts_$format where 1 / (k - 7) > 5)"
      )
      withSQLConf(SQLConf.ANSI_ENABLED.key -> "true") {
        val (expected, on) = (off(failedTask(found.collect())), failedTask(found.collect()))
        assert(on.getClass == expected.getClass)
      }
    }
  }

  test("a cached LIMIT") {
    for (format <- formats) {
      val rows = spark.sql(s"select * from facts_$format where k = 7 limit 5").cache()
      try assert(rows.count() == 5 && rows.collect().forall(_.getLong(3) == 7))
      finally rows.unpersist()
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
