// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.functions._

import latebloom.LateBloomTest

/** Scans whose rows the plan numbers: a task that is repeated must number them alike. */
class RowNumbersSuite extends LateBloomTest {

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.join.minScanBytes", "0")
    spark.range(0, 3000, 1, 3).selectExpr("id", "id % 100 k").write.saveAsTable("fact")
    spark.range(0, 20, 1, 1).selectExpr("id", "id % 7 few").write.saveAsTable("dim")
  }

  override def afterAll(): Unit =
    try Seq("fact", "dim").foreach(t => spark.sql(s"drop table if exists $t"))
    finally super.afterAll()

  private val numbered =
    "(select id, k, monotonically_increasing_id() n, input_file_name() file from fact)"
  private val joined = s"from $numbered f join dim d on f.k = d.id where d.few = 3"

  private def isFiltered(sql: String): Boolean = {
    var filtered = Seq.empty[Boolean]
    sameAnswer(spark.sql(sql)) { plan =>
      filtered :+= lateScans(plan).exists(_.joinFilters.nonEmpty)
    }
    assert(filtered.distinct.size == 1)
    filtered.head
  }

  test("the name of a row's file is as fixed as its values") {
    assert(isFiltered(s"select f.id, f.k, f.file $joined"))
  }

  test("whatever sees the number sees all rows, also what only groups by it") {
    for (
      sql <- Seq(
        s"select count(*), max(c) from (select n, count(*) c $joined group by n)",
        s"select count(*) from (select n, f.id, max(f.file) $joined group by n, f.id having count(*) > 0)",
        s"select n, f.id $joined",
        s"select f.id $joined and n % 2 = 0",
        s"select count(*) from (select n, count(*) c $joined group by n) where n > 5",
        s"select max(n) $joined",
        s"select f.id, n + 1 $joined",
        s"select count(*) from (select n % 10 m, count(*) $joined group by n % 10)",
        s"select count(*) from (select f.id, rank() over (order by n) r $joined) where r < 10",
        s"select f.id from $numbered f join dim d on f.n = d.id where d.few = 3"
      )
    ) assert(!isFiltered(sql), sql)
  }

  test("a key that is made of the name of a file goes no further") {
    assert(!isFiltered(
      s"select f.id from $numbered f join (select concat('x', few) x from dim where few = 3) d " +
        "on f.file = d.x"
    ))
  }

  test("rows of a checkpoint supply keys, even below what counts them") {
    val kept = spark.table("dim").where("few = 3").localCheckpoint()
    kept.createOrReplaceTempView("kept")
    assert(isFiltered("select f.id from fact f join kept d on f.k = d.id"))
    val counted = udf((_: Long) => true).asNondeterministic()
    spark.udf.register("counted", counted)
    assert(isFiltered(
      "select f.id from fact f join (select * from kept where counted(id)) d on f.k = d.id"
    ))
  }
}
