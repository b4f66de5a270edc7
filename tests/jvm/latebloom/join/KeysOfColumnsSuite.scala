// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest
import latebloom.read.task.Counter
import latebloom.testkit.RowGroups

/** Keys of several columns: hashed together for rows, each by itself for statistics. */
class KeysOfColumnsSuite extends LateBloomTest {

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.join.minScanBytes", "0")
    for (format <- Seq("parquet", "orc")) {
      spark.range(0, 60000, 1, 1).selectExpr(
        "id",
        "cast(id / 100 as int) a",
        "concat('t', lpad(cast(id / 100 as int), 6, '0')) t",
        "id * 7919 % 60000 b",
        "if(id < 1000, null, id) n"
      ).write.format(format)
        .options(RowGroups.of(3000))
        .option("orc.row.index.stride", 1000)
        .saveAsTable(s"fact_$format")
    }
    // Each row has one of fact.
    spark.range(2000).selectExpr("id", "id * 29 f").selectExpr(
      "id",
      "cast(f / 100 as int) a",
      "concat('t', lpad(cast(f / 100 as int), 6, '0')) t",
      "f * 7919 % 60000 b",
      "f n",
      "id % 500 few"
    ).write.saveAsTable("dim")
  }

  override def afterAll(): Unit =
    try Seq("fact_parquet", "fact_orc", "dim").foreach(t => spark.sql(s"drop table if exists $t"))
    finally super.afterAll()

  private def pruned(plan: SparkPlan): Long = {
    val Seq(scan) = lateScans(plan).filter(_.joinFilters.nonEmpty)
    Seq(Counter.ROW_GROUPS_PRUNED, Counter.ROWS_PRUNED).map(c => scan.metrics(c.key).value).sum
  }

  private def checked(sql: String)(look: SparkPlan => Unit): Unit =
    for (format <- Seq("parquet", "orc"); threshold <- Seq("10m", "-1")) {
      withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> threshold) {
        withClue(s"$format, broadcasts up to $threshold\n") {
          sameAnswer(spark.sql(sql.replace("fact", s"fact_$format")))(look)
        }
      }
    }

  test("each column prunes by its own keys") {
    // Four values of a, in four places of the file.
    for (
      keys <- Seq("f.a = d.a and f.b = d.b", "f.b = d.b and f.t = d.t", "f.b = d.b and f.a = d.a")
    ) {
      checked(s"select f.id, d.id from fact f join dim d on $keys where d.few = 70") { plan =>
        val Seq(filter) = lateScans(plan).flatMap(_.joinFilters)
        assert(filter.text.startsWith("xxhash64("))
        assert(pruned(plan) > 0, keys)
      }
    }
  }

  test("a column that is compared null-safely prunes if no key is null") {
    checked("select f.id, d.id from fact f join dim d on f.n <=> d.n where d.few = 70") { plan =>
      assert(pruned(plan) > 0)
    }
    val nulls = "(select *, if(id = 70, null, n) m from dim)"
    checked(s"select f.id, d.id from fact f join $nulls d on f.n <=> d.m where d.few = 70") {
      plan =>
        val Seq(scan) = lateScans(plan).filter(_.joinFilters.nonEmpty)
        assert(scan.metrics("numOutputRows").value >= 1000)
        assert(pruned(plan) == 0)
    }
  }

  test("the default of nulls is no key, and a key may equal it") {
    // The keys are 0, which stands for null where a column is compared null-safely, and -30.
    val dim = "(select id, if(id = 0, 0, -30) n, few from dim)"
    checked(
      s"select f.id, d.id from (select id, if(n = 5000, 0, n) n from fact) f join $dim d " +
        "on f.n <=> d.n where d.few = 0"
    )(_ => ())
    for (on <- Seq("f.n <=> d.n", "f.n <=> d.n and f.a <=> d.a", "f.n = d.n and f.a <=> d.a")) {
      checked(
        s"select f.id, d.id from fact f join $dim d on ${on.replace("d.a", "d.id")} where d.few = 0"
      )(_ => ())
    }
  }
}
