// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import java.math.BigInteger

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import latebloom.LineTest
import latebloom.read.predicate.{ColumnPredicate, DecimalKeys, OrderedKeys}

/** Compares with Catalyst's own evaluation: a value passes exactly when the condition is TRUE. */
class ColumnPredicatesSuite extends AnyFunSuite {

  private val strings = Seq(
    "",
    "a",
    "ab",
    "abc",
    "b",
    "a%b",
    "a_b",
    "\\",
    "é",
    "日本語",
    "𝄞x",
    "AIR",
    "REG AIR",
    "AIR REG",
    "aXbXc",
    "line\nend"
  ).map(UTF8String.fromString) :+
    UTF8String.fromBytes(Array(0xff.toByte, 'a'.toByte))

  private def decimals(precision: Int, scale: Int): Seq[Any] = {
    val most = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE)
    Seq(
      most,
      most.negate,
      BigInteger.ZERO,
      BigInteger.ONE,
      BigInteger.ONE.negate,
      BigInteger.valueOf(500),
      most.shiftRight(7)
    )
      .map(u => Decimal(new java.math.BigDecimal(u, scale), precision, scale))
  }

  private val values: Map[DataType, Seq[Any]] = Map(
    BooleanType -> Seq(true, false),
    ByteType -> Seq[Byte](Byte.MinValue, -1, 0, 1, Byte.MaxValue),
    ShortType -> Seq[Short](Short.MinValue, -1, 0, 1, Short.MaxValue),
    IntegerType -> Seq(Int.MinValue, -1, 0, 1, 7, Int.MaxValue),
    LongType -> Seq(Long.MinValue, Long.MinValue + 1, -1L, 0L, 1L, Long.MaxValue),
    DateType -> Seq(-719162, 0, 1, 20000),
    TimestampType -> Seq(Long.MinValue, -1L, 0L, 1L, Long.MaxValue),
    TimestampNTZType -> Seq(Long.MinValue, -1L, 0L, 1L, Long.MaxValue),
    YearMonthIntervalType() -> Seq(-13, 0, 1, 25),
    DayTimeIntervalType() -> Seq(-1L, 0L, 86400000000L),
    FloatType -> Seq(
      Float.NaN,
      java.lang.Float.intBitsToFloat(0xffc00001),
      Float.NegativeInfinity,
      Float.PositiveInfinity,
      -0.0f,
      0.0f,
      Float.MinPositiveValue,
      -Float.MinPositiveValue,
      1.5f,
      Float.MaxValue,
      Float.MinValue
    ),
    DoubleType -> Seq(
      Double.NaN,
      java.lang.Double.longBitsToDouble(0xfff8000000000001L),
      Double.NegativeInfinity,
      Double.PositiveInfinity,
      -0.0,
      0.0,
      Double.MinPositiveValue,
      -Double.MinPositiveValue,
      1.5,
      Double.MaxValue,
      Double.MinValue
    ),
    DecimalType(9, 2) -> decimals(9, 2),
    DecimalType(18, 4) -> decimals(18, 4),
    DecimalType(25, 3) -> decimals(25, 3),
    DecimalType(38, 10) -> decimals(38, 10),
    StringType -> strings,
    BinaryType -> Seq(
      Array.emptyByteArray,
      Array[Byte](0),
      Array[Byte](-1),
      Array[Byte](1, 2),
      Array[Byte](1, 2, 3),
      Array[Byte](127)
    )
  )

  for (dataType <- values.keys.toSeq.sortBy(_.sql)) {
    test(s"random conditions on ${dataType.sql} pass what Catalyst finds TRUE") {
      val random = new Random(20261121)
      val column = AttributeReference("c", dataType)()
      for (_ <- 1 to 600) {
        val condition = new Conditions(random, column).tree(random.nextInt(4))
        check(condition, column)
        check(Not(condition), column)
      }
    }
  }

  test("NOT IN with a null passes nothing") {
    val column = AttributeReference("c", IntegerType)()
    val condition = Not(In(column, Seq(Literal(1), Literal(null, IntegerType))))
    assert(passing(condition, column, Seq(null, 0, 1, 2)).isEmpty)
  }

  test("a null literal passes nothing, not even negated") {
    val column = AttributeReference("c", IntegerType)()
    val nothing = Literal(null, IntegerType)
    assert(passing(EqualTo(column, nothing), column, Seq(null, 0)).isEmpty)
    assert(passing(Not(EqualTo(column, nothing)), column, Seq(null, 0)).isEmpty)
    assert(passing(EqualNullSafe(column, nothing), column, Seq(null, 0)) == Seq(null))
    assert(passing(Not(EqualNullSafe(column, nothing)), column, Seq(null, 0)) == Seq(0))
  }

  test("every NaN is one value and the greatest") {
    val column = AttributeReference("c", DoubleType)()
    val odd = java.lang.Double.longBitsToDouble(0xfff8000000000001L)
    val found = passing(
      GreaterThan(column, Literal(Double.PositiveInfinity)),
      column,
      Seq(1.0, Double.PositiveInfinity, Double.NaN, odd)
    )
    assert(found.size == 2)
  }

  test("a condition that is not on values of the column's type has no kernel") {
    val column = AttributeReference("c", IntegerType)()
    def none(condition: Expression, of: Attribute = column) =
      assert(ColumnPredicates.compile(condition, of).isEmpty, condition)
    none(EqualTo(Add(column, Literal(1)), Literal(2)))
    none(EqualTo(Cast(column, LongType), Literal(2L)))
    none(EqualTo(column, column))
    LineTest.caseless.map(AttributeReference("c", _)()).foreach(lower =>
      none(IsNotNull(lower), lower)
    )
    val array = AttributeReference("c", ArrayType(IntegerType))()
    none(IsNotNull(array), array)
    val string = AttributeReference("c", StringType)()
    none(Like(string, Literal("a\\"), '\\'), string)
  }

  test("conditions on the upper or lower case form of a string") {
    val column = AttributeReference("c", StringType)()
    val cased =
      strings ++ Seq("İ", "ß", "ΑΣ", "ǅ", "Air", "aIR", "reg air").map(UTF8String.fromString)
    def lit(s: String) = Literal(s)
    for {
      mapped <- Seq(Lower(column), Upper(column))
      condition <- Seq(
        EqualTo(mapped, lit("air")),
        EqualTo(lit("AIR"), mapped),
        In(mapped, Seq("a", "A", "é", "É", "i̇", "ss", "SS").map(lit)),
        new Like(mapped, lit("%air%")),
        new Like(mapped, lit("A_R")),
        StartsWith(mapped, lit("re")),
        Contains(mapped, lit("ς")),
        LessThan(mapped, lit("b")),
        IsNull(mapped),
        Not(EqualTo(mapped, lit("abc"))),
        And(IsNotNull(column), EqualTo(mapped, lit("abc"))),
        Or(EqualTo(column, lit("b")), EqualTo(mapped, lit("air")))
      )
    } {
      val bound = BindReferences.bindReference(condition, Seq(column))
      val all = cased :+ null
      assert(
        passing(condition, column, all).map(show) ==
          all.filter(v => bound.eval(InternalRow(v)) == true).map(show),
        condition.sql
      )
    }
  }

  test("conditions on a string's first characters") {
    val column = AttributeReference("c", StringType)()
    val more = Seq[Byte](-61, -27, -16).map(b => UTF8String.fromBytes(Array(b, 'a'.toByte)))
    val all = strings ++ more ++ Seq("éa", "日本", "日", "𝄞").map(UTF8String.fromString) :+ null
    for {
      from <- 0 to 1
      chars <- 1 to 4
      part = Substring(column, Literal(from), Literal(chars))
      condition <- Seq[Seq[Expression] => Expression](
        list => In(part, list),
        list => Not(In(part, list)),
        list => EqualTo(part, list.head),
        list => InSet(part, list.map(_.eval()).toSet)
      )
      list <- Seq(Seq("a"), Seq("ab", "é"), Seq("日本", "𝄞", "AIR", ""), Seq("a", null))
    } {
      val c = condition(list.map(s => Literal.create(s, StringType)))
      val bound = BindReferences.bindReference(c, Seq(column))
      assert(
        passing(c, column, all).map(show) ==
          all.filter(v => bound.eval(InternalRow(v)) == true).map(show),
        c.sql
      )
    }
    def none(condition: Expression) = assert(ColumnPredicates.compile(condition, column).isEmpty)
    none(EqualTo(Substring(column, Literal(2), Literal(2)), Literal("ab")))
    none(EqualTo(Substring(column, Literal(-2), Literal(2)), Literal("ab")))
    none(EqualTo(Substring(column, Literal(1), Literal(0)), Literal("")))
    none(In(Substring(column, Literal(1), Literal(2)), (10 to 30).map(i => Literal(i.toString))))
  }

  test("regular expressions that look for fixed text") {
    val column = AttributeReference("c", StringType)()
    Seq(
      "a",
      "^a",
      "AIR",
      "^AIR.*",
      ".*AIR",
      ".*AIR.*",
      "a|b",
      "^a|^b",
      "^(ab|b)",
      "(?:ab|AI)",
      "",
      "^",
      "a%",
      "a\\.b|line",
      "a b"
    )
      .foreach { pattern =>
        check(RLike(column, Literal(pattern)), column)
        check(Not(RLike(column, Literal(pattern))), column)
      }
    Seq(
      "a$",
      "^a$",
      "a.b",
      "a+",
      "[ab]",
      "\\d",
      "(?i)air",
      "^.*AIR",
      "a\\.*",
      "a\\|b",
      "é",
      "(a)(b)",
      "((a))",
      "a|(b)",
      "a{2}"
    )
      .foreach { pattern =>
        assert(ColumnPredicates.compile(RLike(column, Literal(pattern)), column).isEmpty, pattern)
      }
  }

  private def check(condition: Expression, column: Attribute): Unit = {
    val all = values(column.dataType) :+ null
    val bound = BindReferences.bindReference(condition, Seq(column))
    val expected = all.filter(v => bound.eval(InternalRow(v)) == true)
    val found = passing(condition, column, all)
    assert(found.map(show) == expected.map(show), s"for ${condition.sql}")
  }

  private def show(value: Any): String = value match {
    case b: Array[Byte] => b.mkString("[", ",", "]")
    case s: UTF8String  => s.getBytes.mkString("'", ",", "'")
    case d: Double      => java.lang.Double.doubleToRawLongBits(d).toHexString
    case f: Float       => java.lang.Float.floatToRawIntBits(f).toHexString
    case other          => String.valueOf(other)
  }

  private def passing(condition: Expression, column: Attribute, of: Seq[Any]): Seq[Any] = {
    val predicate = ColumnPredicates.compile(condition, column)
      .getOrElse(fail(s"${condition.sql} has no kernel"))
    of.filter(v => passes(predicate, v))
  }

  private def passes(predicate: ColumnPredicate, value: Any): Boolean =
    if (value == null) {
      predicate.nullPasses
    } else {
      predicate match {
        case longs: ColumnPredicate.Longs =>
          longs.ranges.contains(value match {
            case b: Boolean => if (b) 1L else 0L
            case f: Float   => OrderedKeys.of(f)
            case d: Double  => OrderedKeys.of(d)
            case d: Decimal => d.toUnscaledLong
            case n: Number  => n.longValue
          })
        case bytes: ColumnPredicate.Bytes =>
          val data = value match {
            case s: UTF8String  => s.getBytes
            case d: Decimal     => DecimalKeys.of(d.toJavaBigDecimal.unscaledValue)
            case b: Array[Byte] => b
          }
          bytes.predicate.cursor.test(data, 0, data.length)
        case other => fail(s"$other is compiled")
      }
    }

  private class Conditions(random: Random, column: Attribute) {
    private val pool = values(column.dataType)

    private def value: Any = pool(random.nextInt(pool.size))

    private def literal: Literal =
      Literal(if (random.nextInt(12) == 0) null else value, column.dataType)

    def tree(depth: Int): Expression =
      if (depth == 0) {
        leaf
      } else {
        random.nextInt(3) match {
          case 0 => And(tree(depth - 1), tree(depth - 1))
          case 1 => Or(tree(depth - 1), tree(depth - 1))
          case _ => Not(tree(depth - 1))
        }
      }

    private def leaf: Expression = {
      val special = column.dataType match {
        case BooleanType            => Seq(() => column)
        case FloatType | DoubleType => Seq(() => IsNaN(column))
        case StringType             =>
          Seq(() => text, () => text, () => text)
        case _ => Nil
      }
      val general = Seq[() => Expression](
        () => compared(column, literal),
        () => compared(literal, column),
        () => In(column, Seq.fill(1 + random.nextInt(4))(literal)),
        () => InSet(column, members),
        () => IsNull(column),
        () => IsNotNull(column),
        () => Literal(if (random.nextInt(3) == 0) null else random.nextBoolean(), BooleanType)
      )
      val all = general ++ special
      all(random.nextInt(all.size))()
    }

    /** Of NaN IN (1.5, NULL) Spark's generated code, which queries run, makes NULL. Its
      * interpreter, the model here, makes FALSE: so no nulls among fractions.
      */
    private def members: Set[Any] = {
      val some = Seq.fill(1 + random.nextInt(4))(literal.value).toSet
      column.dataType match {
        case FloatType | DoubleType => some.filter(_ != null) + value
        case _                      => some
      }
    }

    private def compared(l: Expression, r: Expression): Expression = random.nextInt(6) match {
      case 0 => EqualTo(l, r)
      case 1 => EqualNullSafe(l, r)
      case 2 => LessThan(l, r)
      case 3 => LessThanOrEqual(l, r)
      case 4 => GreaterThan(l, r)
      case _ => GreaterThanOrEqual(l, r)
    }

    private def text: Expression = {
      def part = Literal(
        UTF8String.fromString(
          Seq("", "a", "b", "AIR", "R", "語", "x")(random.nextInt(7))
        ),
        StringType
      )
      val patterns = Seq("%", "_", "a%", "%b", "%R%A%", "a__", "a\\%b", "a\\_b", "%日%", "_x", "AIR")
      def pattern = UTF8String.fromString(patterns(random.nextInt(patterns.size)))
      def several =
        Seq.fill(1 + random.nextInt(3))(if (random.nextInt(8) == 0) null else pattern)
      random.nextInt(8) match {
        case 0 => StartsWith(column, part)
        case 1 => EndsWith(column, part)
        case 2 => Contains(column, part)
        case 3 => LikeAll(column, several)
        case 4 => NotLikeAll(column, several)
        case 5 => LikeAny(column, several)
        case 6 => NotLikeAny(column, several)
        case _ => Like(column, Literal(pattern, StringType), '\\')
      }
    }
  }
}
