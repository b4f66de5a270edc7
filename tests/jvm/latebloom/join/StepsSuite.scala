// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest
import latebloom.read.task.Counter
import latebloom.scan.LateScan

/** Keys that reach a large scan over small ones: of a region its nations, of these the suppliers.
  */
class StepsSuite extends LateBloomTest {

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.join.minScanBytes", s"${16 << 10}")
    def save(name: String, rows: Long, columns: String*): Unit =
      spark.range(0, rows, 1, 1).selectExpr(columns: _*).write.saveAsTable(name)
    save("region", 5, "id r", "concat('region ', id) r_name")
    save("nation", 25, "id n", "id % 5 r", "concat('nation ', id) n_name")
    save("supplier", 1000, "id s", "id % 25 n", "id % 3 s_kind")
    save("sales", 60000, "id", "id * 7919 % 1000 s", "hash(id) v", "concat('note ', hash(id)) t")
    save("small_sales", 100, "id", "id % 1000 s", "hash(id) v", "concat('note ', id) t")
    // The scans of sales and of nothing else are large.
    val sizes = Seq("region", "nation", "supplier", "small_sales", "sales")
      .map(t => spark.table(t).queryExecution.optimizedPlan.stats.sizeInBytes)
    assert(sizes.init.forall(_ < (16 << 10)) && sizes.last > (64 << 10), sizes)
  }

  override def afterAll(): Unit =
    try
      Seq("region", "nation", "supplier", "sales", "small_sales")
        .foreach(t => spark.sql(s"drop table if exists $t"))
    finally super.afterAll()

  private def inEachWay(body: => Unit): Unit =
    for (
      threshold <- Seq("10m", "-1"); adaptive <- Seq("true", "false");
      patience <- Seq("1e9", "0")
    ) withSQLConf(
      SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> threshold,
      SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> adaptive,
      "spark.latebloom.join.patience" -> patience
    )(withClue(s"broadcasts up to $threshold, adaptive $adaptive, patience $patience\n")(body))

  private def isPatient: Boolean = spark.conf.get("spark.latebloom.join.patience") == "1e9"

  /** The scans with join filters, by a column that they have. */
  private def filtered(plan: SparkPlan): Seq[(String, LateScan)] = for {
    scan <- lateScans(plan) if scan.joinFilters.nonEmpty
    name <- Seq("r_name", "n_name", "s_kind", "v")
    if scan.relation.dataSchema.fieldNames.contains(name)
  } yield name -> scan

  private def check(sql: String)(scans: String*): Unit = inEachWay {
    sameAnswer(spark.sql(sql)) { plan =>
      val found = filtered(plan)
      assert(found.map(_._1).toSet == scans.toSet, plan)
      if (isPatient) found.collect { case ("v", scan) =>
        assert(scan.metrics(Counter.JOIN_ROWS_DROPPED.key).value > 40000)
      }
    }
  }

  test("a scan too small to gain by a filter gets it for a large one that takes its keys") {
    check(
      "select f.id, n_name from sales f join supplier p on f.s = p.s join nation n on p.n = n.n " +
        "where n_name = 'nation 7'"
    )("s_kind", "v")
  }

  test("a step to a scan that has few keys without it") {
    check(
      "select f.id, n_name from sales f join supplier p on f.s = p.s join nation n on p.n = n.n " +
        "where n_name = 'nation 7' and s_kind = 1"
    )("s_kind", "v")
  }

  test("two steps") {
    check(
      "select f.id, r_name from sales f join supplier p on f.s = p.s join nation n on p.n = n.n " +
        "join region r on n.r = r.r where r_name = 'region 2'"
    )("n_name", "s_kind", "v")
  }

  test("a step over an outer join's kept side") {
    check(
      "select f.id, n_name from nation n left join (select f.id, n from sales f " +
        "join supplier p on f.s = p.s) f on f.n = n.n where n_name in ('nation 7', 'nation 8')"
    )("s_kind", "v")
  }

  test("no step to rows that a join keeps without a match") {
    check(
      "select f.id, n_name from sales f join (select s, n_name from supplier p left join nation n " +
        "on p.n = n.n and n_name = 'nation 7') p on f.s = p.s"
    )()
  }

  test("no step that no large scan needs") {
    check(
      "select f.id, n_name from small_sales f join supplier p on f.s = p.s " +
        "join nation n on p.n = n.n where n_name = 'nation 7'"
    )()
    check("select s, n_name from supplier p join nation n on p.n = n.n where n_name = 'nation 7'")()
    // Every supplier may have sales.
    check(
      "select f.id, n_name from sales f join supplier p on f.s = p.s join nation n on p.n = n.n"
    )()
  }

  test("no step whose keys a large scan supplies") {
    check(
      "select count(*) from sales f join supplier p on f.s = p.s join " +
        "(select n, max(id) m from sales g join supplier q on g.s = q.s where g.v = 5 group by n) n " +
        "on p.n = n.n"
    )()
  }
}
