// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import java.math.BigDecimal

import org.apache.spark.SparkConf
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, Literal}
import org.apache.spark.sql.catalyst.{FunctionIdentifier, InternalRow}
import org.apache.spark.sql.test.SharedSparkSession
import org.apache.spark.sql.types._
import org.apache.spark.sql.{AnalysisException, QueryTest, SparkSessionExtensions}
import org.apache.spark.unsafe.types.UTF8String

import latebloom.bloom.{KeyDomain, KeyFilter, KeyLimits}
import latebloom.line.Compat._
import latebloom.read.predicate.{OrderedKeys, ValuePredicate}

/** `join_keys(value, exactKeys, maxBytes, maxKeys)` and the same of hashes, for SQL. */
class JoinKeysFunctions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit =
    Seq("join_keys" -> false, "join_hashes" -> true).foreach { case (name, hashed) =>
      extensions.injectFunction((
        FunctionIdentifier(name),
        new ExpressionInfo(classOf[JoinKeys].getName, name),
        {
          case Seq(child, numbers @ _*) =>
            JoinKeys(child, limits(numbers), hashed)
        }
      ))
    }

  private def limits(numbers: Seq[Expression]): KeyLimits = {
    val Seq(exactKeys, maxBytes, maxKeys) =
      numbers.map { case Literal(n: Int, _) => n }
    new KeyLimits(exactKeys, maxBytes, maxKeys)
  }
}

class JoinKeysSuite extends QueryTest with SharedSparkSession {

  override protected def sparkConf: SparkConf =
    super.sparkConf.set("spark.sql.extensions", classOf[JoinKeysFunctions].getName)

  private val columns = Seq(
    "id % 2 = 0",
    "cast(id % 100 as byte)",
    "cast(id % 30000 as short)",
    "cast(id * 7 as int)",
    "id * 1000000007",
    "cast(if(id % 5 = 0, 'NaN', if(id % 5 = 1, -0.0, id / 3)) as float)",
    "cast(if(id % 5 = 0, 'NaN', if(id % 5 = 1, -0.0, id / 3)) as double)",
    "cast(id % 50000 - 500 as decimal(7, 2)) / 4",
    "cast(id as decimal(30, 5)) * -12345678901",
    "concat('key ', id)",
    "encode(concat('é', id), 'UTF-16')",
    "date_add(date'1999-12-31', cast(id as int))",
    "timestamp_micros(id * 86400000123)",
    "make_ym_interval(0, cast(id as int))"
  )

  private val rows = 1000

  private def table(column: String) =
    spark.range(0, rows, 1, 4).selectExpr(s"if(id % 11 = 0, null, $column) k")

  private def collected(column: String, limits: String): Option[KeyFilter] = {
    table(column).createOrReplaceTempView("t")
    val Array(row) = spark.sql(s"select join_keys(k, $limits) from t").collect()
    Option(row.getAs[Array[Byte]](0)).map(KeyFilter.deserialize(_).get)
  }

  /** The column's non-null values in Spark's representation. */
  private def values(column: String): (DataType, Seq[InternalRow]) = {
    val plan = table(column).where("k is not null").queryExecution.executedPlan
    (plan.schema.head.dataType, plan.execute().map(_.copy()).collect().toSeq)
  }

  test("the keys of several partitions are those of the column, of every type") {
    columns.foreach { column =>
      val (dataType, present) = values(column)
      val missing = values(column.replace("id", "(id + 123456)"))._2
      for (
        (limits, forms) <- Seq(
          "100000, 100000, 100000" -> Set("set"),
          "1, 4096, 100000" -> Set("bitmap", "bloom")
        )
      ) withClue(s"$column with $limits: ") {
        val filter = collected(column, limits).get
        assert(forms(filter.form))
        val test = new ValuePredicate(dataType, filter.predicate.cursor)
        assert(present.forall(test.passes))
        assert(!test.passes(InternalRow(null)))
        val distinct = present.map(row => row.copy().get(0, dataType): Any).map {
          case b: Array[Byte] => UTF8String.fromBytes(b)
          case d: Double      => OrderedKeys.of(d)
          case f: Float       => OrderedKeys.of(f)
          case other          => other
        }.toSet
        if (filter.exact) {
          assert(filter.keys == distinct.size)
          val keys = present.map(_.get(0, dataType)).toSet
          missing.filterNot(m => keys(m.get(0, dataType)) || isSpecial(m.get(0, dataType)))
            .filter(_ => dataType != BooleanType && dataType != BinaryType)
            .foreach(m => assert(!test.passes(m)))
        } else {
          assert(math.abs(filter.keys - distinct.size) < 0.1 * distinct.size + 5)
        }
        val local = JoinKeys.collect(
          (present :+ InternalRow(null)).iterator,
          dataType,
          KeyLimits.DEFAULT
        ).get
        val localTest = new ValuePredicate(dataType, local.predicate.cursor)
        assert(local.exact && local.keys == distinct.size && present.forall(localTest.passes))
        assert(local.min == filter.min && local.max == filter.max)
      }
    }
  }

  private def isSpecial(value: Any): Boolean = value match {
    case f: Float  => f.isNaN || f == 0
    case d: Double => d.isNaN || d == 0
    case _         => false
  }

  test("zeros are one key, and so are all NaN") {
    val zeros = "cast(if(id % 2 = 0, '-0.0', '0.0') as double)"
    val filter = collected(zeros, "10, 1024, 10").get
    assert(filter.keys == 1 && filter.min.toScala.contains(0L))
    assert(collected("cast('NaN' as float)", "10, 1024, 10").get.keys == 1)
  }

  test("decimals are compared by value, whatever the object's scale") {
    val dataType = DecimalType(10, 2)
    val rows = Seq("1.5", "1.50", "-3").map(t => InternalRow(Decimal(new BigDecimal(t))))
    val filter = JoinKeys.collect(rows.iterator, dataType).get
    assert(filter.keys == 2 && filter.min.toScala.contains(-300L))
    assert(filter.max.toScala.contains(150L))
  }

  test("hashes of several columns are keys as they are") {
    val hashes = spark.range(0, 500, 1, 5).selectExpr("xxhash64(id, concat('a', id)) h")
    hashes.createOrReplaceTempView("t")
    for (exact <- Seq(1000, 10)) {
      val Array(row) = spark.sql(s"select join_hashes(h, $exact, 4096, 1000) from t").collect()
      val filter = KeyFilter.deserialize(row.getAs[Array[Byte]](0)).get
      assert(filter.domain == KeyDomain.HASHES && filter.min.isEmpty)
      val test = new ValuePredicate(LongType, filter.predicate.cursor)
      hashes.collect().foreach(r => assert(test.passes(InternalRow(r.getLong(0)))))
    }
  }

  test("too many keys yield null, no keys yield a filter that passes nothing") {
    assert(collected("id", "10, 1024, 100").isEmpty)
    assert(collected("cast(null as string)", "10, 1024, 100").get.form == "empty")
    spark.sql("select id k from range(5) where id < 0").createOrReplaceTempView("t")
    val Array(row) = spark.sql("select join_keys(k, 10, 1024, 100) from t").collect()
    assert(KeyFilter.deserialize(row.getAs[Array[Byte]](0)).get.form == "empty")
  }

  test("keys of groups are separate, also when the groups do not fit into memory") {
    withSQLConf("spark.sql.objectHashAggregate.sortBased.fallbackThreshold" -> "2") {
      spark.range(0, 1000, 1, 4).createOrReplaceTempView("t")
      val filters = spark
        .sql("select id % 10 g, join_keys(id, 20, 1024, 1000) f from t group by 1").collect()
      assert(filters.length == 10)
      filters.foreach { r =>
        val filter = KeyFilter.deserialize(r.getAs[Array[Byte]](1)).get
        val test = new ValuePredicate(LongType, filter.predicate.cursor)
        assert(filter.keys == 100 && filter.form == "bitmap")
        (0 until 1000).foreach { id =>
          assert(test.passes(InternalRow(id.toLong)) == (id % 10 == r.getLong(0)))
        }
      }
    }
  }

  test("types that have no keys are refused") {
    for (column <- Seq("array(id)", "cast(id as string) collate UTF8_LCASE", "struct(id)")) {
      intercept[AnalysisException](collected(column, "10, 1024, 100"))
    }
    assert(JoinKeys.domain(StringType, hashed = true).isEmpty)
  }
}
