// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import java.lang.management.ManagementFactory

import com.sun.management.ThreadMXBean

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.FilterExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.apache.spark.sql.functions.lit
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import latebloom.{LateBloomTest, LineTest}

/** Tests that lists and maps are read in part, with the same answer, if a query uses only some
  * entries.
  */
class LookupsSuite extends LateBloomTest {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val table = spark.range(300).selectExpr(
      "id",
      "cast(id % 10 as int) n",
      "if(id % 7 = 0, null, map_from_arrays(transform(sequence(0, id % 5), x -> concat('k', x)), " +
        "transform(sequence(0, id % 5), x -> if(x = 3, null, id * 10 + x)))) m",
      "map(cast(id % 4 as int), concat('v', id), -1, 'last') byInt",
      "map(cast(id % 3 as double), id) byDouble",
      "if(id % 11 = 0, null, transform(sequence(1, id % 6), x -> id + x)) a",
      "concat('k', id % 3) s",
      "named_struct('xs', array(id, n)) st"
    )
    table.coalesce(1).write.saveAsTable("t")
    table.selectExpr("n", "a", "m").write.format("orc").saveAsTable("o")
  }

  override protected def afterAll(): Unit =
    try Seq("t", "o").foreach(t => spark.sql(s"drop table $t"))
    finally super.afterAll()

  private def reads(query: String)(payload: String*): Unit =
    sameAnswer(spark.sql(query))(plan => assert(lateScans(plan).flatMap(_.payload) == payload))

  test("by literal keys or positions, in a projection") {
    reads("select id, m['k1'], element_at(m, 'k3') from t where n = 3")(
      "id",
      "element_at(m, 'k3')",
      "m['k1']"
    )
    reads("select m['k1'] + m['k1'], byInt[2] from t where n = 4")("m['k1']", "byInt[2]")
    reads("select m['none'] from t where n > 2")("m['none']")
    reads("select get(a, 0), try_element_at(a, 3) from t where n = 5")(
      "a[0]",
      "element_at(a, 3)"
    )
  }

  test("in an aggregate, with conditions that stay in Filter between") {
    reads("select sum(m['k1']), count(distinct m['k2']) from t where n < 4")("m['k1']", "m['k2']")
    reads("select n, max(m['k2']) from t where n < 4 group by n")("n", "m['k2']")
    reads("select byInt[1], count(*) from t where n < 4 group by 1")("byInt[1]")
    sameAnswer(
      spark.sql(
        "select max(m['k2']) from t " +
          "where n < 4 and monotonically_increasing_id() >= 0 and m['k1'] > 50"
      )
    ) { plan =>
      assert(lateScans(plan).flatMap(_.payload) == Seq("m['k1']", "m['k2']"))
      assert(nodes(plan) { case f: FilterExec => f }.nonEmpty)
    }
  }

  test("not where the plan also uses the whole column") {
    Seq("m, m['k1']", "m['k1'], size(m)", "map_keys(m)", "max(m['k1']), count(m)")
      .foreach(list => reads(s"select $list from t where n = 3")("m"))
    reads("select m['k1'], m[s] from t where n = 3")("m", "s")
    reads("select * from (select m, m['k1'] from t where n = 3) order by 2")("m")
    reads("select st.xs[0] from t where n = 3")("st")
    reads("select element_at(a, -1) from t where n = 3 and size(a) > 0")("a")
    reads("select byDouble[1.0D] from t where n = 3")("byDouble")
  }

  test("not by keys whose equality is not that of their bytes") {
    def lookups(keyType: DataType, key: Any): Seq[Expression] = {
      val map = AttributeReference("m", MapType(keyType, LongType))()
      Lookups.of(Seq(GetMapValue(map, Literal.create(key, keyType))), Seq(map))
    }
    assert(lookups(StringType, "k").length == 1)
    LineTest.caseless.foreach(t => assert(lookups(t, "k").isEmpty))
    assert(lookups(DoubleType, 0.0).isEmpty)
    assert(lookups(StringType, null).isEmpty)
  }

  test("a condition on the same column sees all of it") {
    reads("select m['k1'] from t where m['k2'] > 50 and n < 8")("m['k1']")
    reads("select a[1] from t where size(a) > 3 and n < 8")("a[1]")
  }

  test("a position beyond the end is Spark's own error") {
    withSQLConf(SQLConf.ANSI_ENABLED.key -> "true") {
      Seq("a[4]", "element_at(a, 5)", "a[2] + a[4]").foreach { list =>
        def error(df: DataFrame): String = Iterator
          .iterate[Throwable](intercept[Exception](df.collect()))(_.getCause)
          .takeWhile(_ != null).map(_.getMessage).toList.last
        def query = spark.sql(s"select $list from t where n = 3 and a is not null")
        assert(error(query) == off(error(query)))
        assert(lateScans(query).flatMap(_.payload) != Seq("a"))
      }
      reads("select a[0], a[1] from t where n = 8 and size(a) = 2")("a[0]", "a[1]")
    }
  }

  test("scans that keep different entries are not equal") {
    def both(first: String, second: String) =
      spark.sql(
        s"select n, sum($first) from t where n < 4 group by n union all " +
          s"select n, sum($second) from t where n < 4 group by n"
      )
    def reused(df: DataFrame): Boolean = {
      df.collect()
      nodes(df.queryExecution.executedPlan) { case r: ReusedExchangeExec => r }.nonEmpty
    }
    withSQLConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> "false") {
      assert(reused(both("m['k1']", "m['k1']")))
      assert(!reused(both("m['k1']", "m['k2']")))
      val Seq(one, same, other) = Seq("m['k1']", "m['k1']", "m['k2']")
        .flatMap(e => lateScans(spark.sql(s"select $e from t where n < 4")))
      assert(one.canonicalized == same.canonicalized)
      assert(one.canonicalized != other.canonicalized)
    }
    sameAnswer(both("m['k1']", "m['k2']"))(plan => assert(lateScans(plan).length == 2))
  }

  test("where the format reads lists and maps whole, they are") {
    sameAnswer(spark.sql("select m['k1'] from o where n = 3")) { plan =>
      assert(lateScans(plan).flatMap(_.payload) == Seq("m"))
    }
  }

  /** The bytes that planning a query over a table of so many columns allocates. */
  private def planned(columns: Int): Long = {
    val schema = StructType((0 until columns).map(i => StructField(s"c$i", LongType)))
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]
    var bytes = 0L
    withTempPath { folder =>
      spark.range(1).select(lit(1L).as("c0")).write.parquet(folder.getPath)
      val df = spark.read.schema(schema).parquet(folder.getPath).where("c0 > 0")
      df.queryExecution.sparkPlan
      val before = threads.getThreadAllocatedBytes(Thread.currentThread.getId)
      assert(lateScans(df).size == 1)
      bytes = threads.getThreadAllocatedBytes(Thread.currentThread.getId) - before
    }
    bytes
  }

  test("planning takes memory by the number of columns, not by its square") {
    withSQLConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> "false") {
      planned(100)
      val few = planned(1000)
      val many = planned(5000)
      assert(many < 10 * few)
    }
  }
}
