// SPDX-License-Identifier: Apache-2.0
package latebloom.rules

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.execution.{
  FileSourceScanExec,
  InSubqueryExec,
  ScalarSubquery,
  SubqueryExec
}
import org.apache.spark.sql.functions.udf
import org.apache.spark.sql.internal.SQLConf

import latebloom.LateBloomTest
import latebloom.decision.ShortSql

/** Which conjuncts of a Filter the scan below it evaluates, and which stay. */
class ConjunctsSuite extends LateBloomTest with PredicateHelper {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.range(20).selectExpr("id", "cast(id as int) n", "cast(id as string) s", "id % 2 p")
      .write.partitionBy("p").saveAsTable("t")
    val random = udf(() => math.random()).asNondeterministic()
    spark.udf.register("chance", random)
  }

  override protected def afterAll(): Unit =
    try spark.sql("drop table t")
    finally super.afterAll()

  /** Conjuncts as written, and Spark's own scan that they stand over. */
  private def written(conjuncts: String*): (Seq[Expression], FileSourceScanExec) = off {
    val query = spark.table("t").select("*", "_metadata").where(conjuncts.mkString(" and "))
    val Seq(scan) = nodes(query.queryExecution.sparkPlan) { case s: FileSourceScanExec => s }
    val names = spark.table("t").select("*", "_metadata").queryExecution.analyzed
    assert(names.resolved)
    val Seq(filter) = query.queryExecution.analyzed.collect { case f: Filter => f }
    (splitConjunctivePredicates(filter.condition), scan)
  }

  private def split(conjuncts: String*): Conjuncts = {
    val (all, scan) = written(conjuncts: _*)
    assert(all.size == conjuncts.size)
    Conjuncts.split(all, scan)
  }

  private def taken(split: Conjuncts): Seq[String] = split.taken.map(ShortSql(_))

  private def residual(split: Conjuncts): Seq[(String, String)] =
    split.residual.map(r => ShortSql(r.conjunct) -> r.why.code)

  test("what is on columns of files and cannot fail is taken, in its order") {
    val found = split("s > '3'", "n in (1, 2)", "(id + n > 3 or s is null)", "id < 9")
    assert(found.residual.isEmpty)
    val columns = found.taken.map(_.references.map(_.name).toSet)
    assert(columns == Seq(Set("s"), Set("n"), Set("id", "n", "s"), Set("id")))
  }

  test("a partition column, one that the reader makes and none at all stay, each with its reason") {
    assert(residual(split("p = 1", "n = 3")).map(_._2) == Seq("partition-column"))
    assert(residual(split("n + p = 1")).map(_._2) == Seq("partition-column"))
    assert(residual(split("_metadata.file_size > n")).map(_._2) == Seq("metadata-column"))
    assert(residual(split("_metadata.row_index > 3", "n = 1")).map(_._2) == Seq("metadata-column"))
    val (_, scan) = written("n = 3")
    val nothing = Conjuncts.split(Seq(Literal(true)), scan)
    assert(residual(nothing).map(_._2) == Seq("no-column"))
  }

  test("what cannot fail is taken although a conjunct before it stays") {
    val found = split("p = 1", "n = 3", "s like '%1%'")
    assert(found.taken.size == 2)
    assert(residual(found).map(_._2) == Seq("partition-column"))
  }

  test("what may fail is taken only if nothing before it stays") {
    withSQLConf(SQLConf.ANSI_ENABLED.key -> "true") {
      val mayFail = "10 div n > 1"
      assert(split("n <> 0", mayFail).residual.isEmpty)
      assert(split(mayFail, "p = 1").taken.size == 1)
      val after = split("p = 1", mayFail, "n > 3")
      assert(taken(after) == Seq("(n > 3)"))
      assert(residual(after).map(_._2) == Seq("partition-column", "after-residual"))
    }
    withSQLConf(SQLConf.ANSI_ENABLED.key -> "false") {
      assert(split("p = 1", "10 div n > 1").taken.size == 1)
    }
  }

  test("what is not deterministic stays, and all that stands after it, in order") {
    val found = split("n > 1", "chance() < 2", "s = '3'", "chance() < n", "p = 1")
    assert(taken(found) == Seq("(n > 1)"))
    assert(residual(found).map(_._2) ==
      Seq("non-deterministic") ++ Seq.fill(3)("after-non-deterministic"))
    val (all, _) = written("n > 1", "chance() < 2", "s = '3'", "chance() < n", "p = 1")
    assert(found.residual.map(r => ShortSql(r.conjunct)) == all.tail.map(ShortSql(_)))
  }

  test("a pattern that Spark refuses stays, for Spark to refuse it") {
    val (all, scan) = written("n = 3")
    val s = scan.output.find(_.name == "s").get
    val refused = Like(s, Literal("a\\"), '\\')
    val found = Conjuncts.split(refused +: all, scan)
    assert(residual(found).map(_._2) == Seq("invalid-pattern"))
    assert(found.taken.size == 1)
  }

  test("a subquery of one value is taken, one of many rows stays") {
    val (all, scan) = written("n = 3")
    val n = scan.output.find(_.name == "n").get
    val plan = SubqueryExec("few", scan)
    val one = EqualTo(n, Cast(ScalarSubquery(plan, NamedExpression.newExprId), n.dataType))
    val many = InSubqueryExec(n, plan, NamedExpression.newExprId)
    val ansiOff = withEvalMode(one)
    val found = Conjuncts.split(all ++ Seq(many, ansiOff), scan)
    assert(found.taken.size == 2)
    assert(residual(found).map(_._2) == Seq("subquery"))
  }

  private def withEvalMode(e: Expression): Expression = e.transform { case c: Cast =>
    c.copy(evalMode = EvalMode.LEGACY)
  }

  test("columns are named as the scan has them, however the query writes them") {
    val found = split("N = 3", "t.S = '1'")
    val names = found.taken.flatMap(_.references.toSeq).map(a => a.name -> a.qualifier)
    assert(names.map(_._1) == Seq("n", "s"))
    val (_, scan) = written("n = 3")
    assert(names.map(_._2).toSet == scan.output.map(_.qualifier).toSet)
  }

  test("of conjuncts in any order each is either taken or stays, and neither list is reordered") {
    val pool = Seq("n > 1", "p = 1", "10 div n > 1", "chance() < 2", "s = '3'", "id % n = 1")
    val random = new Random(20261124)
    withSQLConf(SQLConf.ANSI_ENABLED.key -> "true") {
      for (_ <- 1 to 20) {
        val chosen = random.shuffle(pool).take(1 + random.nextInt(pool.size))
        // The rule as the design has it, conjunct by conjunct.
        var barrier, stayed = false
        val expected = chosen.map { c =>
          barrier ||= c.startsWith("chance")
          val fails = c.contains("div") || c.contains("%")
          val take = !barrier && !c.startsWith("p ") && !(fails && stayed)
          stayed ||= !take
          take
        }
        withClue(chosen.mkString(" and ")) {
          val (all, scan) = written(chosen: _*)
          val found = Conjuncts.split(all, scan)
          val text = all.map(ShortSql(_))
          assert(taken(found) == text.zip(expected).collect { case (t, true) => t })
          assert(residual(found).map(_._1) == text.zip(expected).collect { case (t, false) => t })
        }
      }
    }
  }
}
