// SPDX-License-Identifier: Apache-2.0
package latebloom.join

import org.apache.spark.SparkConf
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeReference,
  Coalesce,
  EqualTo,
  Expression,
  IsNotNull,
  Literal,
  SubqueryExpression,
  XxHash64
}
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.BooleanType

import latebloom.{LateBloomTest, LineTest}

/** Which sides of joins have all the values of a key. That they do is found out by running them:
  * the keys of the rows above, byte by byte, are looked for among those below.
  */
class CreationSideSuite extends LateBloomTest {

  /** A few rows each: what takes time is to get ready. */
  override protected def sparkConf: SparkConf = super.sparkConf
    .set(SQLConf.SHUFFLE_PARTITIONS.key, "1")
    .set(SQLConf.ADAPTIVE_EXECUTION_ENABLED.key, "false")
    .set(SQLConf.WHOLESTAGE_CODEGEN_ENABLED.key, "false")
    .set(SQLConf.CODEGEN_FACTORY_MODE.key, "NO_CODEGEN")

  override def beforeAll(): Unit = {
    super.beforeAll()
    view("rows", "k, v, f, text")(
      "(1, 10, -0.0D, 'x')",
      "(2, 20, 0.0D, 'x  ')",
      "(3, 30, double('NaN'), 'y')",
      "(4, cast(null as int), 1.5D, 'z')",
      "(cast(null as int), 50, -0.0D, 'y ')"
    )
    val trimmed = if (collations) "text collate UTF8_BINARY_RTRIM" else "text"
    spark.sql(s"create or replace temporary view a as select k, v, f, $trimmed c from rows")
    view("b", "k, w")(
      "(1, 7)",
      "(3, cast(null as int))",
      "(5, 9)",
      "(6, 4)",
      "(cast(null as int), 1)"
    )
    view("d", "k, u")("(3, 1)", "(1, 2)", "(5, 4)")
    spark.range(9).selectExpr("id", "cast(id as int) n", "double(id) f", "'t' || id s")
      .write.saveAsTable("files")
  }

  private def collations = LineTest.caseless.nonEmpty

  private def view(name: String, columns: String)(rows: String*): Unit =
    spark.sql(s"create or replace temporary view $name as " +
      s"select * from values ${rows.mkString(", ")} as t($columns)")

  override def afterAll(): Unit =
    try {
      Seq("rows", "a", "b", "d").foreach(spark.catalog.dropTempView)
      spark.sql("drop table files")
    } finally super.afterAll()

  /** A plan as it is written: no optimizer changes its nodes. */
  private def plan(sql: String): LogicalPlan = bare(spark.sql(sql).queryExecution.analyzed)

  private def bare(plan: LogicalPlan): LogicalPlan =
    EliminateSubqueryAliases(plan).transformUp { case v: View => v.child }
      .transformAllExpressions { case s: SubqueryExpression => s.withNewPlan(bare(s.plan)) }

  private def output(plan: LogicalPlan, name: String): Attribute =
    plan.output.find(_.name == name).getOrElse(fail(s"no $name in $plan"))

  private def sources(
      side: LogicalPlan,
      key: Expression,
      hashed: Boolean = false
  ): Seq[KeySource] = {
    val column = AttributeReference("other", key.dataType)()
    val join = Join(LocalRelation(column), side, Inner, Some(EqualTo(column, key)), JoinHint.NONE)
    val found = FilteringJoin.unapply(join).getOrElse(fail(s"$join has no keys"))
    CreationSide.sources(found, side, key, hashed, spark.sessionState.conf)
  }

  /** The values of a key, as bytes; without nulls. */
  private def keys(side: LogicalPlan, key: Expression): Set[InternalRow] = {
    val rows = spark.sessionState.executePlan(Project(Seq(Alias(key, "key")()), side))
      .executedPlan.executeCollect()
    rows.filterNot(_.isNullAt(0)).map(_.copy(): InternalRow).toSet
  }

  /** The tables whose columns the sources' keys are, but for the first, which is the side itself;
    * having looked whether each has all the keys.
    */
  private def below(side: LogicalPlan, key: Expression, hashed: Boolean = false): Seq[String] = {
    val all = sources(side, key, hashed)
    assert((all.head.side eq side) && all.head.wanted == key)
    val above = keys(side, key)
    all.tail.map { source =>
      withClue(s"${source.wanted} of\n${source.side}\n") {
        assert((above -- keys(source.side, source.wanted)).isEmpty)
        assert(source.wanted.references.subsetOf(source.side.outputSet))
      }
      source.side.output.map(_.name).filter(Seq("v", "w", "u").contains).mkString
    }
  }

  private def below(sql: String): Seq[String] = {
    val side = plan(sql)
    below(side, output(side, "y"))
  }

  private val inner = "from a join b on a.k = b.k"

  // ---- node by node

  test("a Project is passed by a key that is deterministic") {
    assert(below(s"select a.k y $inner") == Seq("v", "w"))
    assert(below(s"select b.k y, a.v + 1 z $inner") == Seq("w", "v"))
    assert(below(s"select v y $inner") == Seq("v"))
    assert(below(s"select a.k y, rand() r $inner") == Seq("v", "w"))
    assert(below(s"select cast(rand() * 3 as int) y $inner") == Nil)
  }

  test("a key that is computed goes to the side that it is computed of, if it cannot fail") {
    assert(below(s"select bit_length(a.c) y $inner") == Seq("v"))
    withSQLConf(SQLConf.ANSI_ENABLED.key -> "false") {
      assert(below(s"select a.k + 1 y $inner") == Seq("v"))
      assert(below(s"select a.k + b.k y $inner") == Nil)
      // What is made of a key that the join equates is not what it equates.
      assert(below(s"select b.k % 2 y $inner") == Seq("w"))
    }
    withSQLConf(SQLConf.ANSI_ENABLED.key -> "true") {
      assert(below(s"select a.k + 1 y $inner") == Nil)
    }
  }

  test("a Filter is passed, whatever its condition") {
    assert(below(s"select a.k y $inner where a.v > 10") == Seq("v", "w"))
    assert(below(s"select a.k y $inner where a.v in (select u * 10 from d)") == Seq("v", "w"))
    assert(below(s"select * from (select a.k y $inner) where rand() < 2") == Seq("v", "w"))
  }

  test("an Aggregate is passed by a key that is computed of what is grouped by") {
    assert(below(s"select a.k y, max(w) $inner group by a.k") == Seq("v", "w"))
    assert(below(s"select a.k y $inner group by a.k, v") == Seq("v", "w"))
    assert(below(s"select octet_length(string(a.k)) y, count(*) $inner group by a.k") == Seq("v"))
    assert(below(s"select max(a.k) y $inner group by v") == Nil)
    assert(below(s"select count(v) y $inner") == Nil)
    assert(below(s"select max(a.k) y $inner") == Nil)
  }

  test("an Aggregate is not passed by a key that tells equal values apart") {
    val zeros = s"select f y, count(*) $inner group by f"
    assert(below(zeros) == Nil)
    assert(below(s"select string(f) y, count(*) $inner group by f") == Nil)
    if (collations)
      assert(below(s"select octet_length(c) y, count(*) $inner group by c") == Nil)
    val side = plan(zeros)
    assert(below(side, NormalizeNaNAndZero(output(side, "y"))) == Seq("v"))
  }

  test("what is refused at an Aggregate would have been wrong") {
    val grouped = plan("select string(f) y from a where k < 3 group by f")
    val rows = plan("select string(f) y from a where k < 3")
    val ofRows = keys(rows, output(rows, "y"))
    val ofGroups = keys(grouped, output(grouped, "y"))
    // Two texts of rows, one of the group: a partner of the other row's text is lost if it is one's.
    assert(ofRows.size == 2 && ofGroups.size == 1)
  }

  test("no other node is passed") {
    Seq(
      s"select a.k y $inner order by a.k",
      s"select a.k y $inner limit 3",
      s"select a.k y $inner limit 3 offset 1",
      s"select distinct a.k y $inner",
      s"(select a.k y $inner) union all (select k from d)",
      s"(select a.k y $inner) intersect (select k from d)",
      s"select a.k y, row_number() over (partition by a.k order by v) n $inner",
      s"select y, e from (select a.k y $inner) lateral view explode(array(1, 2)) as e",
      s"select * from (select a.k y $inner) tablesample (100 percent)",
      s"select /*+ repartition(3) */ a.k y $inner",
      "select a.k y from a cross join b"
    ).foreach(sql => withClue(sql)(assert(below(sql) == Nil)))
  }

  test("a join on ranges has the keys of its sides") {
    assert(below("select a.k y from a join b on a.k < b.k") == Seq("v"))
    assert(below("select b.k y from a left join b on a.k < b.k") == Seq("w"))
  }

  // ---- join by join

  /** A join of `a` and `b` of this type, and the names of what its sides are. */
  private def joined(joinType: JoinType): Join = {
    val (a, b) = (plan("select * from a"), plan("select * from b"))
    Join(a, b, joinType, Some(EqualTo(output(a, "k"), output(b, "k"))), JoinHint.NONE)
  }

  private val existence =
    ExistenceJoin(AttributeReference("exists", BooleanType, nullable = false)())

  test("a join's key is had of its own side, and of the other where that drops what has no match") {
    Seq(
      (Inner, Some(Seq("v", "w")), Some(Seq("w", "v"))),
      (LeftOuter, Some(Seq("v")), Some(Seq("w", "v"))),
      (RightOuter, Some(Seq("v", "w")), Some(Seq("w"))),
      (FullOuter, Some(Seq("v")), Some(Seq("w"))),
      (LeftSemi, Some(Seq("v", "w")), None),
      (LeftAnti, Some(Seq("v")), None),
      (existence, Some(Seq("v")), None)
    ).foreach { case (joinType, ofLeft, ofRight) =>
      val join = joined(joinType)
      withClue(s"$joinType ") {
        assert(ofLeft.forall(below(join, output(join.left, "k")) == _))
        assert(ofRight.forall(below(join, output(join.right, "k")) == _))
      }
    }
  }

  test("a column that is no key of a join is had of its own side only") {
    Seq(Inner, LeftOuter, RightOuter, FullOuter, LeftSemi, LeftAnti, existence).foreach {
      joinType =>
        val join = joined(joinType)
        assert(below(join, output(join.left, "v")) == Seq("v"))
        if (join.output.exists(_.name == "w")) {
          assert(below(join, output(join.right, "w")) == Seq("w"))
        }
    }
  }

  private def coalesced(column: Attribute): Expression = Coalesce(Seq(column, Literal(0)))

  test("a key that is not null for nulls is not had of a side that a join pads") {
    Seq(
      (Inner, true, true),
      (LeftOuter, true, false),
      (RightOuter, false, true),
      (FullOuter, false, false),
      (LeftSemi, true, true),
      (LeftAnti, true, true),
      (existence, true, true)
    ).foreach { case (joinType, left, right) =>
      val join = joined(joinType)
      val (v, w) = (coalesced(output(join.left, "v")), coalesced(output(join.right, "w")))
      withClue(s"$joinType ") {
        assert(below(join, v).nonEmpty == left)
        // What is refused would have been wrong: the rows that are padded have a key of their own.
        if (!left) {
          val ownRows = Filter(IsNotNull(output(join.left, "v")), join.left)
          assert((keys(join, v) -- keys(ownRows, v)).nonEmpty)
        }
        if (join.output.exists(_.name == "w")) assert(below(join, w).nonEmpty == right)
      }
    }
  }

  test("a hash of several columns is had of a padded side, since a null among them joins nothing") {
    val join = joined(LeftOuter)
    val hash = new XxHash64(Seq(output(join.right, "k"), output(join.right, "w")))
    def found(hashed: Boolean) = sources(join, hash, hashed).size
    assert(found(hashed = true) == 2)
    assert(found(hashed = false) == 1)
    val never = new XxHash64(Seq(coalesced(output(join.right, "k"))))
    assert(sources(join, never, hashed = true).size == 1)
  }

  test("a key goes down several joins, and over to what each equates it with") {
    val three = "select d.k y from (select a.k from a join b on a.k = b.k) t join d on t.k = d.k"
    assert(below(three) == Seq("u", "", "v", "w"))
    val kept = "select t.k y from (select b.k from a left join b on a.k = b.k) t " +
      "left semi join d on t.k = d.k"
    assert(below(kept) == Seq("", "w", "v", "u"))
  }

  test("a key that may fail is taken at the join itself only") {
    withSQLConf(SQLConf.ANSI_ENABLED.key -> "true") {
      val side = plan(s"select a.k y, a.v z $inner")
      val fails = plan(s"select 10 div k y from a").expressions.flatMap(_.children).head
      val key = fails.transform { case _: Attribute => output(side, "z") }
      assert(sources(side, key).size == 1)
    }
  }

  // ---- whether a side is worth it, and can be asked twice

  test("a plan is selective if a condition, or the keys of another join, selects among its rows") {
    def selective(sql: String, filtered: Boolean = false) =
      CreationSide.isSelective(plan(sql), _ => filtered)
    assert(!selective("select n from files"))
    assert(selective("select n from files", filtered = true))
    assert(selective("select n from files where n = 3"))
    assert(!selective("select n from files where n is not null"))
    assert(selective("select n, count(*) from (select * from files where n < 3) group by n"))
    assert(selective("select * from a"))
    val few = "(select * from files where n = 3)"
    def joined(by: String) = s"from files x $by $few y on x.n = y.n"
    assert(selective(s"select x.n ${joined("join")}"))
    assert(selective(s"select x.n ${joined("left semi join")}"))
    assert(selective(s"select y.n ${joined("right join")}"))
    Seq("left join", "left anti join", "full join").foreach { by =>
      assert(!selective(s"select x.n ${joined(by)}"), by)
    }
    assert(!selective(s"select y.n from $few y right join files x on x.n = y.n"))
    assert(!selective(s"select n from $few union all select n from files"))
    assert(selective(s"select n from $few union all select n from files where s = 't1'"))
  }

  test(
    "a plan is repeatable if no row of it depends on chance, on an order or on a sum of doubles"
  ) {
    val repeatable = Seq(
      "select n from files where n < 3",
      "select n from a join files on a.k = files.n",
      "select n from files union all select k from a",
      "select n from files order by n",
      "select /*+ repartition(3) */ n from files",
      "select n, count(*), max(s), sum(n), avg(cast(n as decimal(9, 2))) from files group by n",
      "select f, count(*) from files group by f",
      "select n from files where n < (select max(n) from files)"
    )
    val not = Seq(
      "select n from files limit 3",
      "select n from files order by n limit 3",
      "select n, rand() from files",
      "select n from files where rand() < 2",
      "select n, sum(f) from files group by n",
      "select n, avg(n) from files group by n",
      "select n, max(f) from files group by n",
      "select n, first(s) from files group by n",
      "select n, collect_list(s) from files group by n",
      "select n, sum(cast(n as decimal(38, 2))) from files group by n",
      "select n, row_number() over (order by s) from files",
      "select * from files tablesample (50 percent)",
      "select n from files where n < (select max(r) from (select rand() * 3 r from files))",
      "select n from files where n in (select n from files limit 3)"
    )
    repeatable.foreach(sql => assert(CreationSide.isRepeatable(plan(sql)), sql))
    val ofCollations = if (collations) Seq("select c, count(*) from a group by c") else Nil
    (not ++ ofCollations).foreach(sql => assert(!CreationSide.isRepeatable(plan(sql)), sql))
  }
}
