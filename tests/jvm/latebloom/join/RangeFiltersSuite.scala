// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest
import latebloom.read.task.Counter
import latebloom.scan.LateScan
import latebloom.testkit.RowGroups

/** Filters by the least and the greatest value that the other side of a join allows. */
class RangeFiltersSuite extends LateBloomTest {

  private val values = Seq(
    "long" -> "id",
    "int" -> "cast(id as int)",
    "double" -> "if(id = 500, double('nan'), if(id = 0, -0.0D, id / 2))",
    "decimal" -> "cast(id as decimal(12, 2))",
    "day" -> "date_add(date'1970-01-01', cast(id as int))",
    "time" -> "timestamp_seconds(id)"
  )

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.join.minScanBytes", "0")
    val columns = values.map { case (name, sql) => s"$sql ${name}s" }
    spark.range(0, 1000, 1, 1).selectExpr("id" +: "id % 5 k" +: columns: _*)
      .write.saveAsTable("events")
    val bounds = values.flatMap { case (name, sql) =>
      Seq(
        s"${sql.replace("id", "(400 + id * 3)")} ${name}_lo",
        s"if(id = 3, null, ${sql.replace("id", "(402 + id * 3)")}) ${name}_hi"
      )
    }
    spark.range(10).selectExpr("id" +: "id % 5 k" +: "id % 2 few" +: bounds: _*)
      .write.saveAsTable("spans")
    Seq("events", "spans").foreach(t => spark.sql(s"analyze table $t compute statistics"))
  }

  override def afterAll(): Unit =
    try Seq("events", "spans").foreach(t => spark.sql(s"drop table if exists $t"))
    finally super.afterAll()

  private def filtered(plan: SparkPlan): LateScan = {
    val Seq(scan) = lateScans(plan).filter(_.joinFilters.nonEmpty)
    scan
  }

  for ((name, _) <- values) test(s"ranges of type $name") {
    val (x, lo, hi) = (s"e.${name}s", s"s.${name}_lo", s"s.${name}_hi")
    for (
      on <- Seq(
        s"$x between $lo and $hi",
        s"$x > $lo and $x < $hi",
        s"$lo <= $x and $hi >= $x",
        s"$x >= $lo",
        s"$x <= $hi",
        s"$x < $hi and $x > $lo and e.id > s.id"
      )
    ) withClue(on) {
      sameAnswer(spark.sql(s"select e.id, s.id from events e join spans s on $on")) { plan =>
        val scan = filtered(plan)
        assert(scan.joinFilters.exists(_.text.contains("..")))
        assert(scan.metrics("numOutputRows").value < 1000)
        if (name != "double" && on.contains("between")) {
          assert(scan.metrics("numOutputRows").value == 30)
        }
      }
    }
  }

  test("the broadcast of a nested loop join supplies the ranges") {
    sameAnswer(
      spark.sql(
        "select e.id, s.id from events e join spans s on e.longs between long_lo and long_hi"
      )
    )(plan => assert(nodes(plan) { case r: ReusedExchangeExec => r }.size == 1))
  }

  test("which joins have a filter by ranges") {
    val on = "e.longs between s.long_lo and s.long_hi"
    for (join <- Seq("inner", "left semi", "right outer")) withClue(join) {
      sameAnswer(spark.sql(s"select * from events e $join join spans s on $on")) { plan =>
        assert(filtered(plan).metrics("numOutputRows").value == 30)
      }
    }
    for (join <- Seq("left outer", "left anti", "full outer")) withClue(join) {
      sameAnswer(spark.sql(s"select * from events e $join join spans s on $on")) { plan =>
        assert(
          lateScans(plan).flatMap(_.joinFilters).forall(_.key.references.forall(_.name != "longs"))
        )
      }
    }
    for (not <- Seq("", "not ")) {
      sameAnswer(
        spark.sql(s"select * from events e where ${not}exists (select * from spans s where $on)")
      )(plan => assert(lateScans(plan).exists(_.joinFilters.nonEmpty) == not.isEmpty))
    }
  }

  test("a broadcast join on keys has a filter by ranges, too, and a shuffled one has not") {
    val sql =
      "select e.id, s.id from events e join spans s on e.k = s.k and e.longs >= s.long_lo " +
        "where s.few = 1"
    sameAnswer(spark.sql(sql))(plan => assert(filtered(plan).joinFilters.size == 2))
    withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
      sameAnswer(spark.sql(sql))(plan => assert(filtered(plan).joinFilters.size == 1))
    }
  }

  test("no range, ranges that hold nothing, nulls alone") {
    for (spans <- Seq("few = 9", "long_lo > long_hi + 10", "long_hi is null and id = 3")) {
      sameAnswer(
        spark.sql(
          s"select e.id, s.id from events e join (select * from spans where $spans) s " +
            "on e.longs between s.long_lo and s.long_hi"
        )
      )(_ => ())
    }
  }

  test("row groups outside of all ranges are not read") {
    withTable("grouped") {
      spark.range(0, 100000, 1, 1).selectExpr("id", "id v").write
        .options(RowGroups.of(5000)).saveAsTable("grouped")
      sameAnswer(
        spark.sql(
          "select g.id, s.id from grouped g join spans s on g.v between long_lo and long_hi"
        )
      )(plan => assert(filtered(plan).metrics(Counter.ROW_GROUPS_PRUNED.key).value == 19))
    }
  }
}
