// SPDX-License-Identifier: Apache-2.0
package latebloom.topk

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import latebloom.BothFormatsTest
import latebloom.inspect.PlanNodes
import latebloom.read.task.Counter
import latebloom.scan.LateScan
import latebloom.toprows.{AmongTopRows, TopRowsExec, WithinBound}

/** The first rows of an order: found by the columns of the order and the filters, then read. */
class TopKSuite extends BothFormatsTest {

  override protected val tables: Seq[String] = Seq("facts", "groups")

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.topK.minScanBytes", "0")
    spark.conf.set("spark.latebloom.topK.minSaved", "0")
    for (format <- formats) {
      spark.range(0, 20000, 1, 4)
        .selectExpr(
          "id",
          "id * 7919 % 20011 n",
          "if(id % 97 = 0, null, cast(id * 31 % 500 as int)) i",
          "cast(id * 17 % 1000 as decimal(12, 2)) / 3 d",
          "concat('text ', id * 13 % 3001) s",
          "case when id % 11 = 0 then double('NaN') when id % 13 = 0 then null " +
            "else (id * 7 % 300) - 150.5 end f",
          "date_add(date'2020-01-01', cast(id / 100 as int)) day",
          "id % 7 g",
          "repeat(cast(id as string), 20) wide"
        )
        .write.option("parquet.block.size", 32 << 10).option("orc.stripe.size", 32 << 10)
        .format(format).saveAsTable(s"facts_$format")
      spark.range(0, 7).selectExpr("id g", "concat('group ', id) name", "id % 2 parity")
        .write.format(format).saveAsTable(s"groups_$format")
    }
  }

  private def restricted(plan: SparkPlan): Seq[LateScan] =
    scans(plan)(_.topRows.exists(_.isInstanceOf[AmongTopRows]))

  private def searched(plan: SparkPlan): Seq[LateScan] =
    scans(plan)(_.topRows.exists(_.isInstanceOf[WithinBound]))

  private def scans(plan: SparkPlan)(which: LateScan => Boolean): Seq[LateScan] =
    nodes(plan) { case s: LateScan if which(s) => s }

  /** The query is searched, and its scan reads `rows` rows. */
  private def taken(sql: String, rows: Long): Unit = inBoth(sql) { plan =>
    assert(searched(plan).size == 1 && restricted(plan).size == 1)
    assert(nodes(plan) { case t: TopRowsExec => t }.size == 1)
    assert(restricted(plan).head.metrics("numOutputRows").value == rows)
    assert(searched(plan).head.payload.contains("wide") == sql.contains("by wide"))
  }

  private def declined(sql: String, code: String): Unit = inBoth(sql) { plan =>
    assert(searched(plan).isEmpty && restricted(plan).isEmpty)
    assert(decisions(plan).flatMap(_.declined).map(_.code) == Seq(code))
  }

  private def decisions(plan: SparkPlan): Seq[TopKDecision] =
    PlanNodes.all(plan).flatMap(TopK.decision).distinct

  test("the payload is read for the first rows alone") {
    taken("select * from facts order by n desc limit 5", 5)
    taken("select * from facts order by n limit 5", 5)
    taken("select wide, n from facts order by n limit 100", 100)
  }

  test("with filters, whose rows alone are candidates") {
    taken("select * from facts where i > 450 order by n desc limit 7", 7)
    taken("select * from facts where i > 450 and upper(s) like '%9' order by n limit 7", 7)
    taken("select * from facts where id < 3 order by n limit 7", 3)
    inBoth("select * from facts where id < 0 order by n limit 7") { plan =>
      assert(restricted(plan).forall(_.metrics("numOutputRows").value == 0))
    }
  }

  test("orders of every kind, nulls first and last, of several columns") {
    for {
      key <- Seq("i", "d", "s", "f", "day", "n", "id", "wide")
      direction <- Seq("asc", "desc")
      nulls <- Seq("first", "last")
    } taken(
      s"select * from facts order by $key $direction nulls $nulls, id limit 300",
      300
    )
  }

  test("orders by expressions have no bound") {
    inBoth("select * from facts order by n % 1000, id limit 20") { plan =>
      assert(restricted(plan).head.metrics("numOutputRows").value == 20)
      assert(searched(plan).head.metrics(Counter.BOUND_ROWS_TESTED.key).value == 0)
    }
  }

  test("offsets") {
    taken("select * from facts order by n limit 5 offset 40", 45)
    taken("select * from facts order by n limit 5 offset 9000", 9005)
  }

  test("a projection between order and limit, and below the order") {
    taken("select upper(s) u, wide from (select * from facts order by n limit 9)", 9)
    taken("select * from (select id + 1 id1, n m, wide from facts) order by m desc limit 9", 9)
  }

  test("rows that are equal in the order: as many as wanted, none worse than the last") {
    for (format <- formats; order <- Seq("g", "g desc", "i nulls first", "f desc")) {
      val sql = s"select * from facts_$format order by $order limit 50"
      val key = order.takeWhile(_ != ' ')
      def keys(df: DataFrame) = df.select(key).collect().map(_.toString).toSeq
      val all = off(spark.table(s"facts_$format").collect().toSet)
      val expected = off(keys(spark.sql(sql)))
      val df = spark.sql(sql)
      assert(keys(df) == expected)
      val found = spark.sql(sql).collect()
      assert(found.toSet.size == 50 && found.toSet.subsetOf(all))
    }
  }

  test("a bound drops rows before they leave the scan, and whole row groups") {
    // The two splits with the greatest ids begin first, so that a bound leaves nothing of the others.
    withSQLConf(SQLConf.FILES_OPEN_COST_IN_BYTES.key -> "128m") {
      inBoth("select * from facts order by id desc limit 3") { plan =>
        val scan = searched(plan).head
        assert(scan.bestFirst.exists(_.size == 4))
        assert(scan.metrics("numOutputRows").value <= 10000)
      }
    }
  }

  test("splits without one of the first rows have no task") {
    val small = Seq(SQLConf.FILES_MAX_PARTITION_BYTES, SQLConf.FILES_OPEN_COST_IN_BYTES)
      .map(_.key -> "8k")
    for (order <- Seq("n desc", "id", "g, n"))
      withSQLConf(small: _*) {
        inBoth(s"select * from facts order by $order limit 3") { plan =>
          val scan = restricted(plan).head
          val leftOut = scan.metrics(Counter.SPLITS_NOT_BEST.key).value
          assert(leftOut > 0 && scan.metrics("numOutputRows").value == 3)
          // Splits may be smaller, but for the files that are left there are not fewer.
          assert(scan.inputRDD.getNumPartitions <= 6)
        }
      }
  }

  test("a task for each bucket, whatever the splits") {
    for (format <- formats)
      withTable("buckets") {
        off(spark.table(s"facts_$format").write.format(format).bucketBy(3, "g")
          .saveAsTable("buckets"))
        val df = spark.sql("select * from (select *, g g1 from buckets order by n limit 4)" +
          " t join (select g, count(*) c from buckets group by g) u on t.g = u.g")
        val expected = off(spark.sql(
          "select * from (select *, g g1 from buckets order by n limit 4)" +
            " t join (select g, count(*) c from buckets group by g) u on t.g = u.g"
        ).collect().map(_.toString).toSet)
        assert(df.collect().map(_.toString).toSet == expected)
        assert(restricted(df.queryExecution.executedPlan).size == 1)
      }
  }

  test("joins: inner, and outer of which the scan's side is kept") {
    taken(
      "select f.*, name from facts f join groups g on f.g = g.g where parity = 1 " +
        "order by n limit 6",
      6
    )
    taken("select f.*, name from facts f left join groups g on f.g = g.g order by n limit 6", 6)
    taken("select f.*, name from groups g right join facts f on f.g = g.g order by n limit 6", 6)
    taken(
      "select * from facts f where g in (select g from groups where parity = 0) " +
        "order by n desc limit 6",
      6
    )
    taken(
      "select * from facts f where not exists (select 1 from groups g where g.g = f.g and " +
        "parity = 0) order by n desc limit 6",
      6
    )
  }

  test("a join that multiplies rows") {
    inBoth(
      "select f.id, f.wide, h.id other from facts f join facts h on f.g = h.g and h.id < 50 " +
        "order by f.n, h.id limit 20"
    ) { plan =>
      assert(restricted(plan).head.metrics("numOutputRows").value < 20)
    }
  }

  test("shuffled joins") {
    withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
      taken(
        "select f.*, name from facts f join groups g on f.g = g.g order by n desc limit 6",
        6
      )
    }
  }

  test("a side whose rows an outer join need not show is not restricted") {
    inBoth(
      "select f.wide, name from groups g left join (select * from facts where id > 10) f " +
        "on f.g = g.g and f.id < 14 order by f.n, name limit 6"
    ) { plan =>
      assert(restricted(plan).map(_.relation.dataSchema.size) == Seq(3))
    }
    declined(
      "select f.wide, name from groups g full join facts f on f.g = g.g and f.id < 14 " +
        "order by f.n, name, f.id limit 6",
      "top-k-not-traceable"
    )
  }

  test("a search that saves nothing") {
    withSQLConf("spark.latebloom.topK.minSaved" -> "0.1") {
      declined("select n from facts order by n limit 100", "top-k-saves-nothing")
    }
  }

  test("nodes that see all rows") {
    declined(
      "select * from (select *, row_number() over (partition by g order by id) r from facts) " +
        "order by n limit 5",
      "top-k-not-traceable"
    )
    declined(
      "select g, max(wide) m from facts group by g order by g limit 2",
      "top-k-not-traceable"
    )
  }

  test("columns that readers generate") {
    taken("select *, _metadata.file_name from facts order by n limit 5", 5)
    taken(
      "select *, _metadata.file_size s1 from facts where i > 3 order by _metadata.file_name, id limit 5",
      5
    )
  }

  test("settings") {
    withSQLConf("spark.latebloom.topK.enabled" -> "false") {
      declined("select * from facts order by n limit 5", "top-k-disabled")
    }
    withSQLConf("spark.latebloom.topK.maxRows" -> "4") {
      declined("select * from facts order by n limit 5", "top-k-too-many")
    }
    withSQLConf("spark.latebloom.topK.minScanBytes" -> "1g") {
      declined("select * from facts order by n limit 5", "top-k-scan-too-small")
    }
  }

  test("files that Spark's reader reads are read whole, and give the same rows") {
    withSQLConf("spark.latebloom.scan.enabled" -> "false") {
      declined("select * from facts order by n limit 5", "scan-disabled")
    }
  }

  test("a column that some files lack") {
    for (format <- formats) withTempPath { path =>
      spark.range(1000).selectExpr("id", "id % 10 a", "repeat('x', 100) w")
        .write.format(format).save(s"$path/p=1")
      spark.range(1000, 2000).selectExpr("id", "repeat('y', 100) w")
        .write.format(format).save(s"$path/p=2")
      val schema = "id long, a long, w string, p int"
      spark.read.schema(schema).format(format).load(path.toString).createOrReplaceTempView("mixed")
      for (order <- Seq("a, id", "a desc, id", "a desc nulls first, id", "p desc, id desc")) {
        sameAnswer(spark.sql(s"select * from mixed order by $order limit 15")) { plan =>
          assert(restricted(plan).size == 1)
        }
      }
    }
  }
}
