// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import java.nio.file.Files

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.functions.{col, udf}

import latebloom.BothFormatsTest
import latebloom.read.task.Counter
import latebloom.scan.{LateAggregateExec, LateScan}
import latebloom.testkit.RowGroups

/** Counts and extremes from what files say of their row groups. */
class AggregatesSuite extends BothFormatsTest {

  override protected val tables: Seq[String] = Seq("facts", "parts")
  private val RowsOfGroup = 5000

  override def beforeAll(): Unit = {
    super.beforeAll()
    for (format <- formats) {
      spark.range(0, 40000, 1, 1)
        .selectExpr(
          "id",
          "cast(if(id % 10 = 0, null, id * 7919 % 40009) as int) i",
          "cast(id % 100 as short) s",
          "cast(id % 50 as byte) b",
          "date_add(date'2020-01-01', cast(id / 100 as int)) day",
          "timestamp_ntz'2020-01-01 00:00:00' + make_dt_interval(0, 0, 0, id) t",
          "cast(id * 31 % 5000 as decimal(9, 2)) d",
          "cast(null as int) nothing",
          "double(id) f",
          "concat('text ', id) text"
        )
        .write.options(RowGroups.of(RowsOfGroup))
        .option("orc.stripe.row.count", RowsOfGroup)
        .option("orc.row.index.stride", 1000)
        .format(format).saveAsTable(s"facts_$format")
      spark.range(0, 6000, 1, 1).selectExpr("id", "id % 3 p", "cast(id % 2 as string) q")
        .write.format(format).partitionBy("p", "q").saveAsTable(s"parts_$format")
    }
  }

  private def aggregates(plan: SparkPlan): Seq[LateAggregateExec] =
    nodes(plan) { case a: LateAggregateExec => a }

  private def taken(sql: String)(look: LateScan => Unit): Unit = inBoth(sql) { plan =>
    assert(aggregates(plan).size == 1)
    look(aggregates(plan).head.scan)
  }

  private def left(sql: String): Unit = inBoth(sql)(plan => assert(aggregates(plan).isEmpty))

  private def groups(scan: LateScan): Long = scan.metrics(Counter.ROW_GROUPS_ANSWERED.key).value

  private def decoded(scan: LateScan): Long = scan.metrics(Counter.VALUES_DECODED.key).value

  test("whole tables: no value is decoded") {
    taken("select count(*), count(i), count(nothing), count(text), count(f) from facts") { scan =>
      assert(groups(scan) == 40000 / RowsOfGroup && decoded(scan) == 0)
    }
    taken(
      "select min(id), max(id), min(i), max(i), min(s), max(s), min(b), max(b), min(day), " +
        "max(day), max(nothing), count(1) from facts"
    ) { scan =>
      assert(groups(scan) == 40000 / RowsOfGroup && decoded(scan) == 0)
    }
  }

  test("values of which the file does not tell the extremes are read") {
    taken("select min(t), max(t), min(d), max(d), count(d) from facts")(_ => ())
  }

  /** How many row groups are answered: of ORC none if there is a filter. */
  private def answered(sql: String, ofParquet: Int): Unit = taken(sql) { scan =>
    assert(groups(scan) == (if (scan.format.name == "orc") 0 else ofParquet))
  }

  test("row groups that a filter cuts are read, those that it keeps are not") {
    taken("select count(*), min(i), max(id) from facts where id >= 12345") { scan =>
      if (scan.format.name == "parquet") {
        assert(groups(scan) == 5)
        assert(decoded(scan) > 0 && decoded(scan) <= 3 * RowsOfGroup)
      }
    }
    answered("select count(i) from facts where id < 11000 or id is null", 2)
    answered("select count(*) from facts where i > 100 and text like '%7'", 0)
    answered("select max(day) from facts where id < 0", 0)
  }

  test("by partition columns") {
    taken("select p, q, count(*), count(id), min(id), max(id) from parts group by p, q") { scan =>
      assert(groups(scan) == 6 && decoded(scan) == 0)
    }
    taken("select max(id), q from parts group by q")(s => assert(groups(s) == 6))
    taken("select max(id) from parts where p = 1")(s => assert(groups(s) == 2))
    taken("select q, count(id) from parts where id > 3000 group by q")(s => assert(groups(s) == 0))
    // A partition without a row that passes is no group.
    taken("select p, q, count(*), max(id) from parts where id = 4 group by p, q")(_ => ())
    // Adaptive execution leaves nothing of a plan without rows.
    inBoth("select p, count(id) from parts where id < 0 group by p")(_ => ())
  }

  test("other aggregations are Spark's") {
    left("select sum(id), max(id) from facts")
    left("select max(f) from facts")
    left("select max(text) from facts")
    left("select count(distinct i) from facts")
    left("select count(*) filter (where i > 5) from facts")
    left("select s, count(*), max(i) from facts group by s")
    left("select max(id + 1) from facts")
    left("select count(*) from facts")
    left("select max(id) from facts where monotonically_increasing_id() >= 0")
    left("select max(p) from parts")
    withSQLConf("spark.latebloom.aggregate.enabled" -> "false")(left("select max(id) from facts"))
  }

  test("an aggregation twice, and below a join and a union") {
    inBoth("select max(id) m from facts union all select max(id) from facts") { plan =>
      assert(aggregates(plan).nonEmpty)
    }
    inBoth("select id, i from facts where id = (select max(id) from facts)") { plan =>
      assert(aggregates(plan).size == 1)
    }
  }

  test("scans with subqueries are aggregated by Spark") {
    left("select max(id) from facts where f = (select min(f) from facts)")
    inBoth(
      "select a.p, m from (select p, max(id) m from parts group by p) a " +
        "join (select distinct p from parts where id % 1000 = 1) b on a.p = b.p"
    )(_ => ())
  }

  test("errors are Spark's") {
    for (format <- formats) {
      val fails = udf((id: Long) => if (id == 777) sys.error("on purpose") else true)
      val facts = spark.table(s"facts_$format")
      def counted = facts.where(fails(col("id"))).selectExpr("max(day)")
      assert(aggregates(counted.queryExecution.executedPlan).size == 1)
      val (expected, found) = (off(failedTask(counted.collect())), failedTask(counted.collect()))
      assert(found.getClass == expected.getClass)
      assert(found.getMessage.take(60) == expected.getMessage.take(60))
    }
    withTempPath { path =>
      spark.range(0, 100000, 1, 1).selectExpr("id", "hash(id) h").write.parquet(path.toString)
      val file = path.listFiles.find(_.getName.endsWith(".parquet")).get
      val bytes = Files.readAllBytes(file.toPath)
      java.util.Arrays.fill(bytes, 2000, 2600, 77.toByte)
      Files.write(file.toPath, bytes)
      def counted = spark.read.parquet(path.toString).where("id % 5 = 1").selectExpr("max(h)")
      assert(aggregates(counted.queryExecution.executedPlan).size == 1)
      val (expected, found) = (off(failedTask(counted.collect())), failedTask(counted.collect()))
      assert(found.getClass == expected.getClass)
      assert(found.getMessage.take(60) == expected.getMessage.take(60))
    }
  }

  test("a table of no rows, and files of none") {
    for (format <- formats) withTempPath { path =>
      spark.range(0).selectExpr("id", "id % 2 p").write.format(format).save(path.toString)
      sameAnswer(spark.read.format(format).load(path.toString).selectExpr("max(id)", "count(id)")) {
        plan => assert(aggregates(plan).size == 1)
      }
    }
  }

  test("a column that a file lacks") {
    for (format <- formats) withTempPath { path =>
      spark.range(10).selectExpr("id", "id a").write.format(format).save(s"$path/p=1")
      spark.range(10, 20).selectExpr("id").write.format(format).save(s"$path/p=2")
      sameAnswer(
        spark.read.schema("id long, a long, p int").format(format).load(path.toString)
          .selectExpr("max(a)", "count(a)", "max(id)", "count(*)")
      ) { plan => assert(aggregates(plan).size == 1) }
    }
  }
}
