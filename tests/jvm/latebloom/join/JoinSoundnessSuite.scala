// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.sql.catalyst.expressions.ScalarSubquery
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import latebloom.joinkeys.JoinFilter
import latebloom.testkit.RowGroups
import latebloom.{LateBloomTest, LineTest}

/** Tests the claims of the rules of join filters: for each step of a key through a plan, a query
  * whose answer is wrong if the rule takes the step where it must not.
  */
class JoinSoundnessSuite extends LateBloomTest {

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.latebloom.join.minScanBytes", "0")
    save("a", "select id k from range(1000)")
    save("b", "select id, id k, id % 7 f, id % 50 x, if(id % 7 > 4, 'bad', '3') s from range(1000)")
    save("c", "select id from range(1000) where id % 7 < 3")
    save("big", "select id % 60 k, id id, concat('payload ', id) p from range(6000)")
    save("floats", "select if(id % 2 = 0, -0.0D, 0.0D) f, id % 3 n, id from range(300)")
    save(
      "names",
      "select cast(cast(if(id % 2 = 0, -0.0D, 0.0D) as string) as string) z, " +
        "id % 2 + 1 n, id from range(10)"
    )
    save("lengths", "select cast(id as int) n from range(10)")
  }

  private def save(table: String, sql: String): Unit = spark.sql(sql).write.saveAsTable(table)

  override def afterAll(): Unit =
    try Seq("a", "b", "c", "big", "floats", "names", "lengths")
        .foreach(t => spark.sql(s"drop table if exists $t"))
    finally super.afterAll()

  private def filters(plan: SparkPlan): Seq[JoinFilter] = lateScans(plan).flatMap(_.joinFilters)

  /** Off and on, joined by broadcasts and by shuffles. */
  private def same(query: String)(look: SparkPlan => Unit = _ => ()): Unit =
    Seq(("10m", true), ("-1", false)).foreach { case (most, adaptive) =>
      withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> most) {
        withClue(s"broadcast below $most: $query\n") {
          sameAnswer(spark.sql(query), adaptive)(look)
        }
      }
    }

  // b has rows with f = 3 only; a keeps all of its rows, padded.
  private val padded = "a left join (select * from b where f = 3) b on a.k = b.k"

  test("a key that is not null for nulls is not taken from a side that is padded with nulls") {
    Seq("coalesce(b.x, 0)", "length(concat_ws('-', b.s, 'ab'))").foreach { y =>
      val s = s"(select $y y from $padded) s"
      same(s"select count(*) from big join $s on big.k = s.y")()
      same(s"select count(*) from $s left join big on big.k = s.y")()
    }
    val y = "case when b.x is null then 1 else b.x end"
    same(s"select count(*) from big where k in (select y from (select $y y from $padded) s)")()
    val right = s"(select $y y from (select * from b where f = 3) b right join a on a.k = b.k) s"
    same(s"select count(*) from big join $right on big.k = s.y")()
    val full = s"(select $y y from (select * from b where f = 3) b full join a on a.k = b.k) s"
    same(s"select count(*) from big join $full on big.k = s.y")()
  }

  test("a null-safe key is not taken from a side that is padded with nulls") {
    val s = s"(select b.x y from $padded) s"
    same(s"select count(*) from (select if(k = 5, null, k) k, p from big) big " +
      s"join $s on big.k <=> s.y")()
    same(s"select count(*) from big join $s on big.k <=> s.y")()
  }

  test("what an outer join equates with a key is not its value in padded rows") {
    same("select count(*) from big join (select coalesce(b.k, 0) y from a " +
      "left join (select * from b where f = 3) b on a.k = coalesce(b.k, 0)) s on big.k = s.y")()
  }

  test("a key that is null for nulls is taken from a side that is padded with nulls") {
    Seq("b.x", "b.x + 1", "coalesce(b.x, b.f)").foreach { y =>
      withSQLConf(SQLConf.ANSI_ENABLED.key -> "false") {
        same(s"select count(*) from big join (select $y y from $padded) s on big.k = s.y")(p =>
          assert(filters(p).nonEmpty)
        )
      }
    }
  }

  test("a key that fails for rows which a join drops is not evaluated on them") {
    Seq("cast(b.s as int)", "100 div (b.id % 7 - 5)").foreach { y =>
      val s = s"(select $y y from b join c on b.id = c.id where b.f < 6) s"
      same(s"select count(*) from $s left join big on big.k = s.y")()
    }
  }

  test("an error of the creation side is Spark's own") {
    val query = "select count(*) from big join (select cast(s as int) y from b where f > 3) s " +
      "on big.k = s.y"
    Seq("10m", "-1").foreach { most =>
      withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> most) {
        def message: (Class[_], String) = {
          val e = intercept[Exception](spark.sql(query).collect())
          // Spark 3.5 says which task it was.
          (
            e.getClass,
            e.getMessage.linesIterator.next().replaceFirst(".* executor driver\\): ", "")
          )
        }
        assert(off(message) == message)
      }
    }
  }

  test("a subquery in a key has run when the keys are gathered from a broadcast") {
    val shift = "(select max(id) - 998 from a join c on a.k = c.id)"
    same(s"select count(*) from big join (select b.x + $shift y from b where f = 3) s " +
      "on big.k = s.y")()
    same(s"select count(*) from big join (select b.x + $shift y from b join c on b.id = c.id " +
      "where b.f < 2) s on big.k = s.y")()
  }

  test("Spark's own runtime filter stays where an expression that may fail relies on it") {
    withTable("divisors", "few") {
      // Most rows of the first row groups pass: a task soon leaves our filter out.
      spark.sql("select cast(id as int) id, if(id % 7 = 5, 0, 20) z from range(0, 120, 1, 2)")
        .write.options(RowGroups.of(20)).saveAsTable("divisors")
      save("few", "select cast(id as int) id from range(32)")
      val sound = "(select id from few where pmod(id, 7) <> 5) f on d.id = f.id"
      withSQLConf(
        SQLConf.RUNTIME_BLOOM_FILTER_APPLICATION_SIDE_SCAN_SIZE_THRESHOLD.key -> "0",
        SQLConf.CONSTRAINT_PROPAGATION_ENABLED.key -> "false",
        SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1"
      ) {
        Seq(
          s"select n, y from (select n from lengths where n in (null, n)) l " +
            s"join (select cast(100 div z as int) y from divisors d join $sound) r on l.n = r.y",
          s"select count(y) from (select id, 100 div z y from divisors) d join $sound",
          s"select count(*) from divisors d join $sound and 100 div d.z = f.id - f.id + 5"
        ).foreach { query =>
          withClue(query) {
            sameAnswer(spark.sql(query))(plan => assert(filters(plan).nonEmpty))
          }
        }
      }
    }
  }

  test("a key that distinguishes equal values does not pass a node that merges them") {
    val ofGroup = "(select cast(f as string) y, sum(n) t from floats group by f) s"
    same(s"select * from $ofGroup join names on s.y = names.z where names.n = 1")()
    same(s"select count(*) from names join $ofGroup on names.z = s.y where s.t > 0")()
    same("select count(*) from names join (select cast(f as string) y from (select distinct f " +
      "from floats where n = 1)) s on names.z = s.y")()
    same("select count(*) from (select cast(f as string) y, rank() over (partition by f order by id) r " +
      "from floats) s join names on s.y = names.z where names.n = 2")()
  }

  /** Texts that are equal with other bytes, where the line has collations. */
  private def withTexts(body: => Unit): Unit = {
    assume(LineTest.caseless.nonEmpty, "this line has no collations")
    withTable("texts") {
      save(
        "texts",
        "select cast(if(id % 2 = 0, 'x', 'x  ') as string collate UTF8_BINARY_RTRIM) c, " +
          "id from range(300)"
      )
      body
    }
  }

  test("keys with an expression of a collated string are not hashed together") {
    withTexts {
      // Spark replaces columns of such strings by their collation keys, and leaves expressions alone.
      val key = "case when s.id is null then 'y' collate UTF8_BINARY_RTRIM " +
        "else 'x' collate UTF8_BINARY_RTRIM end"
      val pairs = "(select id, c, named_struct('c', c) st from texts where id < 100) t"
      same(s"select count(*) from $pairs join big s on t.c = $key and t.id = s.id")(p =>
        assert(filters(p).nonEmpty)
      )
      same(
        s"select count(*) from $pairs join big s on t.st = named_struct('c', $key) and t.id = s.id"
      )()
    }
  }

  test("a key that distinguishes texts that a collation equates does not pass their groups") {
    withTexts {
      val ofText = "(select length(c) y, count(*) t from texts group by c) s"
      same(s"select count(*) from lengths join $ofText on lengths.n = s.y where s.t > 1")()
      same(s"select count(*), sum(t) from $ofText join lengths on lengths.n = s.y " +
        "where lengths.n > 2")()
    }
  }

  test("a key that cannot distinguish equal values passes a node that merges them") {
    same("select count(*) from (select f, sum(n) t from floats group by f) s " +
      "join (select double(id) - 4 g from names where n = 1) d on s.f = d.g")(p =>
      assert(filters(p).nonEmpty)
    )
  }

  test("a key with one value per join row is not gathered from one of several equal values") {
    withTexts {
      same("select count(*) from lengths join (select length(c) y from (select distinct c " +
        "from texts where id < 100)) s on lengths.n = s.y")()
    }
  }

  test("keys with arrays of nulls are hashed as their elements, not as the numbers below them") {
    withTable("lists") {
      Seq("parquet", "orc").foreach { format =>
        spark.sql(
          "select id, id % 4 g, get(array(array(1, 2), array(cast(null as int)), array(3)), " +
            "cast(id % 3 as int)) x from range(30)"
        )
          .write.mode("overwrite").format(format).saveAsTable("lists")
        // Few keys: a scan gives a filter up that most rows pass.
        Seq("l.x <=> r.x", "l.g = r.g and l.x = r.x").foreach { on =>
          same("select * from (select g, x from lists where id in (3, 4)) l " +
            s"join (select x, g, id from lists) r on $on")(p => assert(filters(p).nonEmpty))
        }
      }
    }
  }

  test("planning asks for each source of keys once, however many filters are made of it") {
    def joined(n: Int) = (0 until n).map { i =>
      s"(select * from big where id % 13 = $i) t$i" + (if (i == 0) ""
                                                       else s" on t${i - 1}.k = t$i.k")
    }.mkString("select count(*) from ", " join ", "")
    def subqueries(plan: LogicalPlan): Seq[LogicalPlan] = plan.collect { case p => p }
      .flatMap(_.expressions.flatMap(_.collect { case s: ScalarSubquery => s.plan }))
      .flatMap(p => p +: subqueries(p))
    Seq("10m", "-1").foreach { most =>
      withSQLConf(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> most) {
        val plan = spark.sql(joined(8)).queryExecution
        assert(subqueries(plan.optimizedPlan).size <= 8)
        assert(lateScans(plan.executedPlan).count(_.joinFilters.nonEmpty) >= 7)
      }
    }
  }
}
