// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import scala.util.{Random, Success, Try}

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeProjection
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.catalyst.plans.SQLHelper
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.catalyst.{FunctionIdentifier, InternalRow}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import latebloom.BuiltFor

/** Spark's own evaluation, interpreted and compiled, is the judge of what fails. */
class FailureSuite extends AnyFunSuite with SQLHelper {

  private def texts(all: String*): Seq[UTF8String] = all.map(UTF8String.fromString)

  /** Of each type the values that are most likely to be an error for somebody. */
  private val edges: Seq[(DataType, Seq[Any])] = Seq(
    BooleanType -> Seq(true, false),
    ByteType -> Seq[Byte](Byte.MinValue, -1, 0, 1, Byte.MaxValue),
    IntegerType -> Seq(Int.MinValue, -1, 0, 1, 7, Int.MaxValue),
    LongType -> Seq(Long.MinValue, -1L, 0L, 1L, Long.MaxValue),
    DoubleType -> Seq(
      Double.NaN,
      Double.NegativeInfinity,
      Double.PositiveInfinity,
      -0.0,
      0.0,
      1.5,
      Double.MaxValue,
      Double.MinValue
    ),
    DecimalType(38, 2) -> Seq("9" * 36 + ".99", "-" + "9" * 36, "0", "-0.01", "12.5")
      .map(d => Decimal(BigDecimal(d), 38, 2)),
    StringType -> (texts(
      "",
      " ",
      "a",
      "12",
      "-1.5e400",
      "2026-02-30",
      "a%b_\\",
      "\\",
      "([",
      "日本語",
      "𝄞",
      "true",
      "{\"a\":"
    ) :+ UTF8String.fromBytes(Array(0xff.toByte, 0xc3.toByte))),
    BinaryType -> Seq(Array.emptyByteArray, Array[Byte](-1, 0), Array.fill[Byte](9)(127)),
    DateType -> Seq(Int.MinValue, -719528, -141428, -1, 0, 19782, Int.MaxValue),
    TimestampType -> Seq(
      Long.MinValue,
      -62135596800000000L,
      -1L,
      0L,
      1710000000000000L,
      Long.MaxValue
    ),
    TimestampNTZType -> Seq(Long.MinValue, -1L, 0L, Long.MaxValue),
    YearMonthIntervalType() -> Seq(Int.MinValue, -1, 0, Int.MaxValue),
    DayTimeIntervalType() -> Seq(Long.MinValue, -1L, 0L, Long.MaxValue),
    ArrayType(IntegerType) -> Seq(
      new GenericArrayData(Array.empty[Any]),
      new GenericArrayData(Array[Any](null, 1, Int.MinValue))
    ),
    MapType(StringType, IntegerType) -> Seq(
      ArrayBasedMapData(Array.empty[Any], Array.empty[Any]),
      ArrayBasedMapData(texts("a", "b").toArray[Any], Array[Any](1, null))
    ),
    StructType(Seq(StructField("a", IntegerType), StructField("b", StringType))) -> Seq(
      InternalRow(null, null),
      InternalRow(Int.MaxValue, UTF8String.fromString("x"))
    )
  )

  /** Three columns of each type. */
  private def column(dataType: DataType, copy: Int): BoundReference =
    BoundReference(3 * edges.indexWhere(_._1 == dataType) + copy, dataType, nullable = true)

  private val rows: Seq[InternalRow] = {
    val random = new Random(20261124)
    InternalRow.fromSeq(Seq.fill(3 * edges.size)(null)) +: Seq.fill(1000) {
      InternalRow.fromSeq(edges.flatMap { case (_, values) =>
        Seq.fill(3)(if (random.nextInt(8) == 0) null else values(random.nextInt(values.size)))
      })
    }
  }

  /** For many expressions some of them do. */
  private val fewRows = rows.take(120)

  private def ansi[A](enabled: Boolean)(body: => A): A = withClue(s"ANSI $enabled: ") {
    var result: Option[A] = None
    withSQLConf(SQLConf.ANSI_ENABLED.key -> enabled.toString) { result = Some(body) }
    result.get
  }

  /** What the optimizer makes of it: with a time zone, and itself in place of its short forms. */
  private def ready(e: Expression): Expression = e.transformUp {
    case t: TimeZoneAwareExpression if t.timeZoneId.isEmpty => t.withTimeZone("Europe/Amsterdam")
    case r: RuntimeReplaceable                              => ready(r.replacement)
  }

  private def evaluable(e: Expression): Boolean =
    e.resolved && e.deterministic && !e.exists {
      case _: Unevaluable | _: Generator => true
      case _                             => false
    }

  /** The first row that an expression fails for. */
  private def failing(
      e: Expression,
      rows: Seq[InternalRow] = rows
  ): Option[(InternalRow, Throwable)] =
    rows.iterator.map(r => r -> Try(e.eval(r))).collectFirst {
      case (row, scala.util.Failure(error)) => row -> error
    }

  private def compiledFails(es: Seq[Expression]): Boolean = {
    val projection = GenerateUnsafeProjection.generate(es, subexpressionEliminationEnabled = false)
    fewRows.exists(r => Try(projection(r)).isFailure)
  }

  private def checkThatNoneFails(es: Seq[Expression], compiling: Boolean = true): Unit = {
    val interpreted = es.flatMap(e =>
      failing(e, if (es.size > 100) fewRows else rows).map { case (row, error) =>
        s"$e of ${values(e, row)}: ${error.getMessage}"
      }
    )
    val compiled = (if (compiling) es else Nil).grouped(40).filter(compiledFails).flatMap { some =>
      some.filter(e => compiledFails(Seq(e))).map(e => s"$e, compiled")
    }
    val all = interpreted ++ compiled
    assert(all.isEmpty, all.mkString("these fail:\n", "\n", "\n"))
  }

  private def values(e: Expression, row: InternalRow): String =
    e.collect { case b: BoundReference => row.get(b.ordinal, b.dataType) }.mkString(", ")

  /** All that Spark's functions are when they are given columns of these types. */
  private def calls(name: FunctionIdentifier): Seq[Expression] = {
    val types = edges.map(_._1)
    def some(copy: Int) = types.map(column(_, copy))
    val texts = Seq("a%", "\\d").map(Literal(_))
    val numbers = Seq(Literal(0), Literal(-3))
    val three = Seq(StringType, IntegerType, DateType, BooleanType, DoubleType)
    val arguments = some(0).map(Seq(_)) ++
      (for (a <- some(0); b <- some(1) ++ texts ++ numbers) yield Seq(a, b)) ++
      (for (
        a <- three.map(column(_, 0)); b <- three.map(column(_, 1)) ++ texts ++ numbers;
        c <- three.map(column(_, 2)) ++ numbers
      )
        yield Seq(a, b, c))
    arguments.flatMap(a => Try(ready(FunctionRegistry.builtin.lookupFunction(name, a))).toOption)
  }

  test("of all functions of Spark none fails that is not known to, whatever it is called with") {
    Seq(true, false).foreach { enabled =>
      ansi(enabled) {
        val safe = FunctionRegistry.builtin.listFunction().map { name =>
          name.funcName -> calls(name).filter(e =>
            Try(evaluable(e)).getOrElse(false) && !Failure.mayFail(e)
          )
        }.filter(_._2.nonEmpty).toMap
        val known = Seq("=", "<=>", "<", "and", "or", "not", "isnull", "isnan", "coalesce", "if") ++
          Seq("greatest", "like", "rlike", "startswith", "contains", "upper", "length", "substr") ++
          Seq("trim", "replace", "instr", "reverse", "concat", "year", "hour", "last_day", "&") ++
          Seq("datediff", "date_add", "size", "array_contains", "hash", "xxhash64", "nanvl")
        assert(known.filterNot(safe.contains).isEmpty)
        assert(safe.contains("+") != enabled)
        // To compile them all would take minutes.
        val (compiled, others) = safe.values.toSeq.flatMap { of =>
          new Random(of.size).shuffle(of).zipWithIndex
        }.partition(_._2 < 3)
        checkThatNoneFails(compiled.map(_._1))
        checkThatNoneFails(others.map(_._1), compiling = false)
      }
    }
  }

  test("a cast that is not known to fail does not, and one that may does for some value") {
    val types = edges.map(_._1) ++ Seq(ShortType, FloatType, DecimalType(5, 2), DecimalType(20, 0))
    def casts(mode: EvalMode.Value) =
      for (from <- edges.map(_._1); to <- types; e = cast(column(from, 0), to, mode) if e.resolved)
        yield e
    for (mode <- Seq(EvalMode.LEGACY, EvalMode.TRY, EvalMode.ANSI)) {
      val never = casts(mode).filterNot(Failure.mayFail)
      assert(never.size > 30)
      checkThatNoneFails(never)
      Seq(
        DateType -> TimestampType,
        DateType -> TimestampNTZType,
        TimestampNTZType -> TimestampType
      )
        .foreach { case (from, to) => assert(Failure.mayFail(cast(column(from, 0), to, mode))) }
    }
    mayAndDoes(cast(column(DateType, 0), TimestampType, EvalMode.LEGACY))
    mayAndDoes(cast(column(LongType, 0), YearMonthIntervalType(), EvalMode.LEGACY))
    mayAndDoes(cast(array(column(DateType, 0)), ArrayType(TimestampType), EvalMode.LEGACY))
    mayAndDoes(cast(struct(column(DateType, 0)), struct(TimestampType), EvalMode.LEGACY))
    Seq(
      (StringType, IntegerType),
      (LongType, IntegerType),
      (DoubleType, LongType),
      (DecimalType(38, 2), DecimalType(5, 2)),
      (StringType, DateType),
      (StringType, BooleanType)
    ).foreach { case (from, to) => mayAndDoes(cast(column(from, 0), to, EvalMode.ANSI)) }
  }

  private def cast(of: Expression, to: DataType, mode: EvalMode.Value): Expression =
    Cast(of, to, Some("Europe/Amsterdam"), mode)

  private def array(of: Expression) = CreateArray(Seq(of))
  private def struct(of: Expression) = CreateNamedStruct(Seq(Literal("a"), of))
  private def struct(of: DataType) = StructType(Seq(StructField("a", of)))

  private def mayAndDoes(e: Expression): Unit = withClue(s"$e: ") {
    assert(Failure.mayFail(e))
    assert(failing(e).isDefined)
  }

  private def int(i: Int) = column(IntegerType, i)

  test("arithmetic may fail where Spark checks it, and of decimals always") {
    val operators = Seq[EvalMode.Value => BinaryArithmetic](
      m => Add(int(0), int(1), m),
      m => Subtract(int(0), int(1), m),
      m => Multiply(column(LongType, 0), column(LongType, 1), m),
      m => Divide(column(DoubleType, 0), column(DoubleType, 1), m),
      m => IntegralDivide(column(LongType, 0), column(LongType, 1), m),
      m => Remainder(int(0), int(1), m),
      m => Pmod(int(0), int(1), m)
    )
    operators.foreach { of =>
      mayAndDoes(of(EvalMode.ANSI))
      val others = Seq(EvalMode.LEGACY, EvalMode.TRY).map(of)
      checkThatNoneFails(others.filterNot(Failure.mayFail))
      assert(!Failure.mayFail(others.head))
    }
    mayAndDoes(IntegralDivide(column(LongType, 0), column(LongType, 1), EvalMode.TRY))
    mayAndDoes(Pmod(int(0), int(1), EvalMode.TRY))
    val d = column(DecimalType(38, 2), 0)
    EvalMode.values.foreach(m => assert(Failure.mayFail(Multiply(d, d, m))))
    val month = column(YearMonthIntervalType(), 0)
    mayAndDoes(Add(month, column(YearMonthIntervalType(), 1), EvalMode.LEGACY))
  }

  test("a division by a constant fails for 0 and where the quotient overflows") {
    for (mode <- EvalMode.values.toSeq; n <- Seq(0, -1, 1, 7, Int.MinValue)) {
      val (i, l, d) = (Literal(n), Literal(n.toLong), Literal(n.toDouble))
      val all = Seq(
        Remainder(int(0), i, mode),
        Pmod(int(0), i, mode),
        Remainder(column(LongType, 0), l, mode),
        Pmod(column(LongType, 0), l, mode),
        IntegralDivide(column(LongType, 0), l, mode),
        Divide(column(DoubleType, 0), d, mode)
      )
      checkThatNoneFails(all.filterNot(Failure.mayFail))
      if (n == 0 && mode == EvalMode.ANSI) all.foreach(mayAndDoes)
      if (n > 0) assert(!all.exists(Failure.mayFail))
    }
    mayAndDoes(IntegralDivide(column(LongType, 0), Literal(-1L), EvalMode.ANSI))
    assert(Failure.mayFail(Remainder(int(0), Literal(null, IntegerType), EvalMode.ANSI)))
  }

  test("what is not known may fail, and does") {
    val array = column(ArrayType(IntegerType), 0)
    mayAndDoes(GetArrayItem(array, int(0), failOnError = true))
    mayAndDoes(ElementAt(array, int(0), None, failOnError = false))
    mayAndDoes(ready(RaiseError(column(StringType, 0))))
    mayAndDoes(UnaryMinus(int(0), failOnError = true))
    // Of the least int; Spark 4.3 returns the whole string.
    val part = SubstringIndex(column(StringType, 0), column(StringType, 1), int(0))
    if (BuiltFor.spark == "4.3") assert(Failure.mayFail(part)) else mayAndDoes(part)
    mayAndDoes(Abs(int(0), failOnError = true))
    mayAndDoes(ready(Sequence(int(0), int(1), None)))
    mayAndDoes(Like(column(StringType, 0), column(StringType, 1), '\\'))
    mayAndDoes(RLike(column(StringType, 0), column(StringType, 1)))
    val user = (s: UTF8String) => if (s == null) null else Integer.valueOf(s.toString)
    mayAndDoes(ScalaUDF(user, IntegerType, Seq(column(StringType, 0))))
  }

  test("an expression may fail as soon as a part of it may, in a branch as well") {
    val part = IntegralDivide(column(LongType, 0), column(LongType, 1), EvalMode.ANSI)
    val positive = GreaterThan(part, Literal(0L))
    val flag = column(BooleanType, 0)
    Seq(
      positive,
      Not(positive),
      And(flag, positive),
      Or(flag, positive),
      If(flag, positive, Literal(true)),
      CaseWhen(Seq((flag, positive))),
      Coalesce(Seq(column(LongType, 2), part)),
      In(column(LongType, 2), Seq(part)),
      new Murmur3Hash(Seq(part))
    ).foreach(mayAndDoes(_))
    // For no value of the other part: but who knows.
    assert(Failure.mayFail(And(Literal(false), positive)))
  }

  test("a literal pattern is valid or not whatever it is matched with") {
    val text = column(StringType, 0)
    def like(pattern: String) = Like(text, Literal(pattern), '\\')
    def several(patterns: String*) = LikeAll(text, patterns.map(UTF8String.fromString))
    val valid =
      Seq(like("a\\%"), like("%\\\\"), RLike(text, Literal("[ab]+$")), several("%", "_\\_"))
    val invalid = Seq(like("a\\"), like("\\a"), RLike(text, Literal("([")), several("%", "a\\"))
    valid.foreach { e =>
      assert(!Failure.mayFail(e) && !Failure.hasInvalidPattern(e), e)
    }
    checkThatNoneFails(valid)
    invalid.foreach { e =>
      mayAndDoes(e)
      assert(Failure.hasInvalidPattern(Or(IsNull(text), Not(e))))
    }
    // Nobody knows beforehand whether the texts of a column are patterns.
    assert(!Failure.hasInvalidPattern(RLike(text, column(StringType, 1))))
    val nothing = Like(text, Literal(null, StringType), '\\')
    assert(!Failure.mayFail(nothing) && Try(nothing.eval(rows.last)) == Success(null))
  }

  test("what Spark and this project put around a join's keys does not fail") {
    val d = column(DoubleType, 0)
    val around = Seq(
      NormalizeNaNAndZero(d),
      KnownFloatingPointNormalized(NormalizeNaNAndZero(d)),
      KnownNotNull(Coalesce(Seq(int(0), Literal(0)))),
      new XxHash64(Seq(int(0), column(StringType, 0), d))
    )
    around.foreach(e => assert(!Failure.mayFail(e), e))
    checkThatNoneFails(around)
    assert(Failure.mayFail(KnownNotNull(Add(int(0), int(1), EvalMode.ANSI))))
  }
}
