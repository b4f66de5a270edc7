// SPDX-License-Identifier: Apache-2.0
package latebloom.cache

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.ConstantFolding
import org.apache.spark.sql.types._

import latebloom.LateBloomTest
import latebloom.cache.CachedCondition.{Keys, Source}

class CachedConditionSuite extends LateBloomTest {

  private val schema = StructType.fromDDL("i int, l bigint, s string, d double, t timestamp")
  private lazy val columns: Map[String, AttributeReference] =
    schema.map(f => f.name -> AttributeReference(f.name, f.dataType)()).toMap

  private def parsed(text: String): Expression = {
    val df = spark.createDataFrame(spark.sparkContext.emptyRDD[org.apache.spark.sql.Row], schema)
    val plan = ConstantFolding(df.where(text).queryExecution.analyzed)
    val condition = plan.expressions.head
    condition.transform { case a: AttributeReference => columns(a.name) }
  }

  private def source(confs: (String, String)*) = under(confs: _*) {
    Source(
      "parquet",
      Map.empty,
      Source.session(spark.sessionState.conf, spark.sparkContext.hadoopConfiguration)
    )
  }

  private def of(text: String, confs: (String, String)*): Option[CachedCondition] = of(
    Seq(under(confs: _*)(parsed(text))),
    source(confs: _*),
    Nil
  )

  private def of(
      conditions: Seq[Expression],
      from: Source,
      keys: Seq[Keys]
  ): Option[CachedCondition] =
    CachedCondition.of(
      from,
      conditions,
      keys,
      columns.values.map(a => a.exprId -> schema(a.name)).toMap
    )

  private def known(text: String) = of(text).getOrElse(fail(s"$text: ${parsed(text)}"))

  private def implies(stronger: String, weaker: String) = known(stronger).implies(known(weaker))

  test("a conjunct more, another order, a column's other id: the same survivors serve") {
    assert(implies("i > 3 and s = 'a'", "i > 3"))
    assert(implies("i > 3 and s = 'a'", "s = 'a' and i > 3"))
    assert(implies("3 < i", "i > 3"))
    assert(!implies("i > 3", "i > 3 and s = 'a'"))
    assert(!implies("i > 3", "l > 3"))
    assert(!implies("i > 3 or s = 'a'", "i > 3"))
    val renewed = columns.map { case (name, a) => name -> a.newInstance() }
    val again = CachedCondition.of(
      source(),
      Seq(parsed("i > 3").transform { case a: AttributeReference => renewed(a.name) }),
      Nil,
      renewed.values.map(a => a.exprId -> schema(a.name)).toMap
    )
    assert(again == of("i > 3"))
  }

  test("a range within a range, some of the values") {
    assert(implies("i > 5", "i > 3") && implies("i >= 4", "i > 3") && implies("i > 3", "i >= 3"))
    assert(!implies("i >= 3", "i > 3") && !implies("i > 2", "i > 3") && !implies("i < 5", "i > 3"))
    assert(implies("i = 4", "i >= 4 and i <= 6") && implies("i in (4, 5)", "i < 6"))
    assert(implies("i in (4, 5)", "i in (5, 6, 4)") && implies("i = 4", "i in (4, 5)"))
    assert(!implies("i in (4, 9)", "i in (5, 6, 4)") && !implies("i > 4", "i in (5, 6)"))
    assert(implies("i >= 3 and i <= 4", "i >= 2 and i <= 5") && implies("s < 'b'", "s <= 'b'"))
    assert(implies("i = 4", "i is not null") && !implies("i is null", "i is not null"))
    assert(implies("d > 2", "d > 1") && implies("d = double('NaN')", "d > 1"))
    assert(!implies("i <=> 4", "i = 5") && !implies("length(s) > 5", "i > 3"))
    assert(implies("length(s) > 5", "length(s) > 3"), "of any value")
  }

  test("random conditions: what implies another passes no row that the other drops") {
    val random = new Random(7)
    def number() = random.nextInt(6)
    def conjunct(): String = random.nextInt(8) match {
      case 0 => s"i = ${number()}"
      case 1 => s"i in (${number()}, ${number()}, ${number()})"
      case 2 => s"${number()} > i"
      case 3 => s"i is not null"
      case 4 => s"not (i = ${number()})"
      case n => s"i ${Seq("<", "<=", ">")(n - 5)} ${number()}"
    }
    val rows = (-1 to 6).map(i => InternalRow(if (i < 0) null else i))
    def passes(text: String) = {
      val bound = BindReferences.bindReference(parsed(text), Seq(columns("i")): AttributeSeq)
      rows.map(bound.eval(_) == true)
    }
    val texts = Seq.fill(60)(Seq.fill(1 + random.nextInt(2))(conjunct()).mkString(" and ")).distinct
    val known = texts.map(t => (of(t).get, passes(t)))
    var implied = 0
    for ((stronger, passed) <- known; (weaker, others) <- known if stronger.implies(weaker)) {
      implied += 1
      assert(passed.zip(others).forall { case (p, o) => !p || o }, s"$stronger, $weaker")
    }
    assert(implied > 2 * known.size)
  }

  test("what may change an answer is part of the condition") {
    val one = of("i > 3").get
    Seq(
      "spark.sql.session.timeZone" -> "Asia/Tokyo",
      "spark.sql.ansi.enabled" -> "false",
      "spark.sql.caseSensitive" -> "true",
      "spark.sql.parquet.filterPushdown" -> "false",
      "spark.sql.parquet.datetimeRebaseModeInRead" -> "LEGACY"
    ).foreach { conf =>
      assert(!of("i > 3", conf).get.implies(one) && !one.implies(of("i > 3", conf).get))
    }
    assert(of("i > 3", "spark.sql.adaptive.enabled" -> "false").get == one)
    val hadoopConf = spark.sparkContext.hadoopConfiguration
    val other = Source(
      "parquet",
      Map("mergeSchema" -> "true"),
      Source.session(spark.sessionState.conf, hadoopConf)
    )
    assert(of(Seq(parsed("i > 3")), other, Nil).get != one)
    hadoopConf.set("parquet.filter.stats.enabled", "false")
    try assert(of("i > 3").get != one)
    finally hadoopConf.unset("parquet.filter.stats.enabled")
    assert(of("i > 3").get == one)
    val renamed = CachedCondition.of(
      source(),
      Seq(parsed("i > 3")),
      Nil,
      Map(columns("i").exprId -> StructField("other", IntegerType))
    )
    assert(renamed.get != one)
  }

  test("join keys are told apart by what they are") {
    def keys(digest: String) = of(Nil, source(), Seq(Keys(columns("i"), digest))).get
    assert(keys("a") == keys("a") && keys("a") != keys("b"))
    val both = of(Seq(parsed("s = 'a'")), source(), Seq(Keys(columns("i"), "a"))).get
    assert(both.implies(keys("a")) && both.implies(of("s = 'a'").get) && !both.implies(keys("b")))
  }

  test("conditions that may mean something else next time, or fail, are not cached") {
    assert(of("i > rand()").isEmpty, "not deterministic")
    assert(of("10 / i > 2").isEmpty, "fails for 0")
    assert(of("d = double('-0.0')").isEmpty && of("d = 0.0D").nonEmpty)
    assert(of("i > 3", "spark.sql.ansi.enabled" -> "false").nonEmpty)
    spark.udf.register("cache_odd", (i: Int) => i % 2 == 1)
    assert(of("cache_odd(i)").isEmpty)
    val now = GreaterThan(columns("t"), CurrentTimestamp())
    assert(of(Seq(now), source(), Nil).isEmpty, "Spark has not folded it")
    assert(of("exists(array(i), x -> x > 1)").isEmpty)
    assert(of(Nil, source(), Nil).isEmpty)
    val unknown = AttributeReference("p", IntegerType)()
    assert(of(Seq(EqualTo(unknown, Literal(1))), source(), Nil).isEmpty, "not a column of files")
  }
}
