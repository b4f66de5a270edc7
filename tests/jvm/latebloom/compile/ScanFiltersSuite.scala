// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._
import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import latebloom.read.MemoryRowGroup.{Column, positions}
import latebloom.read.ScanFilter.{And => AllOf, Or => AnyOf, _}
import latebloom.read.predicate.{ColumnPredicate, LongRanges}
import latebloom.read.selection.Selection
import latebloom.read.{MemoryRowGroup, RandomCases, RowFilter, ScanFilter}

/** Catalyst's own evaluation of the conditions, in the order in which they are written, is the
  * model.
  */
class ScanFiltersSuite extends AnyFunSuite with RandomCases {
  private val i = AttributeReference("i", IntegerType)()
  private val l = AttributeReference("l", LongType)()
  private val s = AttributeReference("s", StringType)()
  private val b = AttributeReference("b", BooleanType)()
  private val st = AttributeReference(
    "st",
    StructType(Seq(
      StructField("x", IntegerType),
      StructField("in", StructType(Seq(StructField("y", StringType))))
    ))
  )()
  private val columns = Seq(i, l, s, b, st)

  private val x = GetStructField(st, 0)
  private val y = GetStructField(GetStructField(st, 1), 0)
  private val quotient = IntegralDivide(Literal(12L), l, EvalMode.ANSI)
  private val mayFail = GreaterThan(quotient, Literal(2L))

  private def compile(conditions: Expression*): ScanFilters =
    ScanFilters.compile(conditions, Nil, columns)

  private def texts(of: ScanFilters): Seq[String] = of.filters.map(_.filter.text)

  private def levels(of: ScanFilters): Seq[String] = of.filters.map(_.level.name)

  private def uses(filter: ScanFilter): Seq[Int] = filter match {
    case f: ColumnFilter   => Seq(f.use)
    case f: JoinKeyFilter  => Seq(f.use)
    case f: RowFilter      => f.columns.indices.map(f.use + _)
    case f: AllOf          => f.parts.asScala.toSeq.flatMap(uses)
    case f: AnyOf          => f.arms.asScala.toSeq.flatMap(uses)
    case f: OptionalFilter => uses(f.filter)
  }

  private def read(filter: ScanFilter): Seq[Int] = {
    val all = ArrayBuffer.empty[Int]
    filter.forEachColumn(c => all += c)
    all.toSeq
  }

  // ---- against Catalyst

  private def randomRow(random: scala.util.Random): InternalRow = {
    def orNull(value: => Any): Any = if (random.nextInt(6) == 0) null else value
    def text = UTF8String.fromString(random.oneOf("", "a", "ab", "b", "bab"))
    InternalRow(
      orNull(random.nextInt(5)),
      orNull(random.nextInt(5).toLong),
      orNull(text),
      orNull(random.nextBoolean()),
      orNull(InternalRow(orNull(random.nextInt(3)), orNull(InternalRow(orNull(text)))))
    )
  }

  private def value(row: InternalRow, e: Expression): Any =
    BindReferences.bindReference(e, AttributeSeq(columns)).eval(row)

  /** A scan's columns of some rows: those that it reads whole, then the fields it filters by. */
  private def group(rows: Seq[InternalRow], of: ScanFilters): MemoryRowGroup = {
    def leaf(field: StructField): Expression = {
      val root = columns.find(_.name == field.name).get
      def down(e: Expression, dataType: DataType): Expression = dataType match {
        case StructType(Array(only)) =>
          val ordinal = e.dataType.asInstanceOf[StructType].fieldIndex(only.name)
          down(GetStructField(e, ordinal), only.dataType)
        case _ => e
      }
      down(root, field.dataType)
    }
    new MemoryRowGroup((columns ++ of.leaves.map(leaf)).map { e =>
      Column(e.dataType, rows.map(value(_, e)).toArray)
    })
  }

  private def filtered(rows: Seq[InternalRow], filters: ScanFilters): Seq[Int] = {
    val of = group(rows, filters)
    positions(filters.filters.foldLeft(Selection.all(rows.size)) { (left, f) =>
      if (left.isNone) left else f.filter.cursor.filter(of, left)
    })
  }

  /** Whether a row passes: a conjunct is not evaluated where one before it is not TRUE. */
  private def passes(row: InternalRow, conditions: Seq[Expression]): Boolean =
    conditions.forall(value(row, _) == true)

  private def randomCondition(random: scala.util.Random, depth: Int): Expression = {
    def again = randomCondition(random, depth - 1)
    if (depth > 0 && random.nextInt(3) > 0) {
      random.oneOf[() => Expression](
        () => And(again, again),
        () => Or(again, again),
        () => Not(again)
      )()
    } else {
      random.oneOf[Expression](
        GreaterThan(i, Literal(random.nextInt(5))),
        IsNotNull(l),
        LessThan(l, Literal(3L)),
        In(s, Seq(Literal("a"), Literal("ab"))),
        Like(s, Literal("%b"), '\\'),
        EqualTo(Length(s), Literal(random.nextInt(3))),
        b,
        LessThan(Cast(i, LongType), l),
        EqualTo(x, Literal(1)),
        EqualTo(y, s),
        StartsWith(y, Literal("a")),
        IsNull(st),
        mayFail,
        And(Not(EqualTo(l, Literal(0L))), mayFail),
        EqualTo(Remainder(i, x, EvalMode.ANSI), Literal(1))
      )
    }
  }

  test("random conditions pass the rows that Catalyst finds TRUE, and fail for no other") {
    var failed, passed = 0
    forSeeds(150) { random =>
      val conditions = Seq.fill(1 + random.nextInt(4))(randomCondition(random, random.nextInt(3)))
      val rows = Seq.fill(40)(randomRow(random))
      Try(rows.map(passes(_, conditions))).toOption match {
        case None           => failed += 1
        case Some(expected) =>
          val found = filtered(rows, compile(conditions: _*))
          assert(found == rows.indices.filter(expected), conditions.map(_.sql))
          passed += found.size
      }
    }
    assert(failed > 8 && passed > 150)
  }

  // ---- what becomes of a condition

  test("the conditions of a column that have kernels are one filter") {
    val found =
      compile(GreaterThan(i, Literal(1)), EqualTo(s, Literal("a")), LessThan(i, Literal(4)))
    assert(texts(found) == Seq("(i > 1) AND (i < 4)", "(s = 'a')"))
    assert(levels(found).distinct == Seq("kernel"))
    assert(found.anyOrder == 2)
    assert(found.filters.map(_.columns) == Seq(Seq("i"), Seq("s")))
  }

  test("the level of a condition is that of the cheapest machinery that is right") {
    def level(e: Expression) = levels(compile(e))
    assert(level(In(l, Seq(Literal(1L), Literal(2L)))) == Seq("kernel"))
    assert(level(EqualTo(Length(s), Literal(1))) == Seq("dictionary"))
    assert(level(EqualTo(i, Cast(l, IntegerType, None, EvalMode.LEGACY))) == Seq("row"))
    assert(level(IsNotNull(st)) == Seq("row"))
    assert(level(EqualTo(x, Literal(1))) == Seq("kernel"))
    val both = And(LessThan(i, Literal(1)), EqualTo(Length(s), Literal(1)))
    assert(level(Or(both, b)) == Seq("dictionary"))
    assert(level(Or(both, IsNull(st))) == Seq("row"))
  }

  test("cheap filters stand before costly ones, whatever the order in which they are written") {
    val row = LessThan(Cast(i, LongType), l)
    val compiled = EqualTo(Length(s), Literal(1))
    val search = Like(s, Literal("%b%a%"), '\\')
    val other = LessThan(s, Literal("c"))
    val written = Seq(row, compiled, IsNotNull(l), EqualTo(x, Literal(1)), b)
    assert(texts(compile(compiled, search, b)) == Seq("b", "s LIKE '%b%a%'", "(length(s) = 1)"))
    assert(texts(compile(search, other)) == Seq("s LIKE '%b%a%' AND (s < 'c')"))
    val orders = forAllOrders(written).map(texts).toSet
    // What costs the same stays as it is written.
    assert(orders.size == 2 && orders.map(_.take(2).toSet) == Set(Set("b", "(st.`x` = 1)")))
    orders.foreach { order =>
      assert(order.drop(2) == Seq(
        "(l IS NOT NULL)",
        "(length(s) = 1)",
        "(CAST(i AS BIGINT) < l)"
      ))
    }
  }

  private def forAllOrders(of: Seq[Expression]): Iterator[ScanFilters] =
    of.permutations.map(compile(_: _*))

  test("what may fail stands after all that cannot, in the order in which it is written") {
    val other = EqualTo(Remainder(i, x, EvalMode.ANSI), Literal(1))
    val third = EqualTo(Cast(s, IntegerType, None, EvalMode.ANSI), Literal(1))
    val row = LessThan(Cast(i, LongType), l)
    for (fails <- Seq(mayFail, other, third).permutations; at <- 0 to 3) {
      val found = compile(fails.take(at) ++ Seq(row, b) ++ fails.drop(at): _*)
      assert(found.anyOrder == 2)
      assert(texts(found).take(2) == Seq("b", "(CAST(i AS BIGINT) < l)"))
      val expected = fails.map(f => texts(compile(f)).head)
      assert(texts(found).drop(2) == expected)
    }
  }

  test("within AND and OR the order is kept where a part may fail, and is by cost elsewhere") {
    val row = LessThan(Cast(i, LongType), l)
    def parts(e: Expression): Seq[String] = compile(e).filters.head.filter match {
      case or: AnyOf  => or.arms.asScala.toSeq.map(_.text)
      case and: AllOf => and.parts.asScala.toSeq.map(_.text)
      case one        => Seq(one.text)
    }
    val small = EqualTo(i, Literal(2))
    assert(parts(Or(Or(row, b), small)).head != texts(compile(row)).head)
    assert(parts(Or(Or(row, b), small)).last == texts(compile(row)).head)
    assert(parts(Or(Or(mayFail, b), small)) == Seq(mayFail, b, small).map(e =>
      texts(compile(e)).head
    ))
    // Arms on one column are one.
    assert(parts(Or(Or(small, b), EqualTo(i, Literal(3)))) == Seq("(i = 2) OR (i = 3)", "b"))
  }

  test("a failing condition is asked only of rows that the others leave") {
    val rows = Seq(0L, 1L, 5L, 12L).map(v => InternalRow(1, v, null, true, null))
    val found = compile(mayFail, GreaterThan(l, Literal(0L)))
    assert(filtered(rows, found) == Seq(1, 2).filter(r => 12 / rows(r).getLong(1) > 2).toList)
    assert(Try(filtered(rows, compile(mayFail))).isFailure)
    assert(filtered(rows, compile(Or(LessThanOrEqual(l, Literal(0L)), mayFail))).contains(0))
  }

  test("a part that stands in several places is evaluated only where it is reached") {
    val rows = Seq(0L, 2L, 4L, 9L).map(v => InternalRow(1, v, null, true, null))
    val nonZero = Not(EqualTo(l, Literal(0L)))
    val small = EqualTo(quotient, Literal(1L))
    val twice = Or(And(nonZero, mayFail), And(nonZero, small))
    assert(filtered(rows, compile(twice)) == Seq(1, 2, 3))
    val ofTwo = Or(And(nonZero, mayFail), And(nonZero, EqualTo(quotient, Cast(i, LongType))))
    assert(filtered(rows, compile(Or(ofTwo, IsNull(st)), twice)) == Seq(1, 2, 3))
  }

  test("a field of a struct is a column of its own, read without the struct") {
    val found =
      compile(EqualTo(x, Literal(1)), StartsWith(y, Literal("a")), LessThan(x, Literal(9)))
    assert(found.leaves.map(_.name) == Seq("st", "st"))
    assert(found.leaves.map(_.dataType.sql) ==
      Seq("STRUCT<x: INT>", "STRUCT<in: STRUCT<y: STRING>>"))
    assert(found.filters.map(f => read(f.filter)) == Seq(Seq(5), Seq(6)))
    // Whoever asks whether there is a struct needs it.
    assert(compile(IsNotNull(st)).leaves.isEmpty)
    assert(compile(IsNotNull(st)).filters.map(f => read(f.filter)) == Seq(Seq(4)))
  }

  test("each use of a column has a number of its own") {
    val row = LessThan(Cast(i, LongType), l)
    val found = compile(
      b,
      Or(row, Not(b)),
      EqualTo(Length(s), Literal(1)),
      And(Or(IsNull(st), EqualTo(y, s)), mayFail)
    )
    val all = found.filters.flatMap(f => uses(f.filter))
    assert(all.size == all.distinct.size && all.min == 1)
    assert(all.size == found.filters.flatMap(f => read(f.filter)).size)
  }

  // ---- filters of joins

  private class Keys(override val column: Option[Attribute], override val condition: Expression)
      extends KeyPredicate {
    override def text: String = s"keys of ${condition.references.map(_.name).mkString(", ")}"

    override def source: JoinKeySource = new JoinKeySource {
      override def isKnown: Boolean = true
      override def predicate: ColumnPredicate =
        new ColumnPredicate.Longs(false, LongRanges.ofPoints(1, 3))
    }
  }

  test("the keys of a join are a filter that may be left out, among those of any order") {
    val onColumn = new Keys(Some(l), In(l, Seq(Literal(1L), Literal(3L))))
    val onTwo = new Keys(None, EqualTo(Cast(i, LongType), l))
    val conditions = Seq(mayFail, EqualTo(Length(s), Literal(1)), b)
    val found = ScanFilters.compile(conditions, Seq(onTwo, onColumn), columns)
    assert(texts(found).take(4) == Seq("b", "keys of l", "(length(s) = 1)", "keys of i, l"))
    assert(found.anyOrder == 4)
    val optional = found.filters.collect { case ScanFilters.Planned(o: OptionalFilter, _, _, _) =>
      o
    }
    assert(optional.map(_.filter.getClass) == Seq(classOf[JoinKeyFilter], classOf[RowFilter]))
    assert(levels(found).take(4) == Seq("kernel", "kernel", "dictionary", "row"))
    val rows =
      (0L to 5L).map(v => InternalRow((v / 2).toInt, v, UTF8String.fromString("a"), true, null))
    assert(filtered(rows, ScanFilters.compile(Nil, Seq(onColumn), columns)) == Seq(1, 3))
    assert(filtered(rows, ScanFilters.compile(Seq(b), Seq(onTwo), columns)) == Seq(0))
  }

  test(
    "keys of a field of a struct, and of a column that is not flat, are had by their condition"
  ) {
    val ofField = new Keys(None, EqualTo(x, Literal(1)))
    val found = ScanFilters.compile(Nil, Seq(ofField), columns)
    assert(found.leaves.size == 1 && levels(found) == Seq("kernel"))
    val ofStruct = new Keys(Some(st), IsNotNull(st))
    assert(levels(ScanFilters.compile(Nil, Seq(ofStruct), columns)) == Seq("row"))
  }
}
