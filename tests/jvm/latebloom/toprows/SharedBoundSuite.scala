// SPDX-License-Identifier: Apache-2.0
package latebloom.toprows

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import latebloom.compile.ColumnPredicates

/** Bounds of searches: which rows they leave out, and for whom. */
class SharedBoundSuite extends AnyFunSuite {

  private def order(
      direction: SortDirection = Ascending,
      nulls: NullOrdering = NullsFirst,
      isWhole: Boolean = true
  ) = TopOrder(direction, nulls, isWhole, s"${System.nanoTime()}")

  test("what passes a bound is exactly what the order does not put after it") {
    val values: Map[DataType, Seq[Any]] = Map(
      IntegerType -> Seq(null, -5, 0, 7, Int.MaxValue),
      DoubleType -> Seq(null, Double.NegativeInfinity, -0.0, 0.0, 1.5, Double.NaN),
      StringType -> Seq(null, "", "a", "ab", "\u00e4").map(s =>
        if (s == null) null else UTF8String.fromString(s)
      )
    )
    for {
      (dataType, all) <- values
      direction <- Seq(Ascending, Descending)
      nulls <- Seq(NullsFirst, NullsLast)
      strict <- Seq(false, true)
      bound <- all
    } {
      val o = order(direction, nulls)
      val column = AttributeReference("c", dataType)()
      val condition = o.condition(column, TopBound(bound, strict))
      val bound1 = condition.map(BindReferences.bindReference(_, AttributeSeq(Seq(column))))
      val ordering = o.values(dataType)
      assert(TopOrder.isComparable(column))
      condition.foreach(c => assert(ColumnPredicates.compile(c, column).isDefined))
      for (value <- all) {
        val comes = ordering.compare(value, bound)
        val passes = bound1.forall(_.eval(InternalRow(value)) == true)
        // A null that comes first may pass a strict bound of nulls.
        val needed = comes < 0 || (comes == 0 && !strict)
        if (needed) assert(passes, (dataType, o, bound, value))
        else if (bound != null || comes > 0) assert(!passes, (dataType, o, bound, strict, value))
      }
    }
  }

  test("all tasks keep rows that are equal to a bound; the attempt that holds such rows need not") {
    val shared = new SharedBound(order(), IntegerType)
    shared.tighten(10, attempt = 1)
    assert(shared.now(Some(1L)).contains(TopBound(10, isStrict = true)))
    assert(shared.now(Some(2L)).contains(TopBound(10, isStrict = false)))
    // The attempt fails, and is repeated as another.
    shared.attemptEnds(1)
    assert(shared.now(Some(1L)).contains(TopBound(10, isStrict = false)))
  }

  test("rows that are equal in the first column may differ in the next") {
    val shared = new SharedBound(order(isWhole = false), IntegerType)
    shared.tighten(10, attempt = 1)
    assert(shared.now(Some(1L)).contains(TopBound(10, isStrict = false)))
  }

  test("a bound never becomes worse, and another task's may be better than one's own") {
    val shared = new SharedBound(order(Descending, NullsLast), IntegerType)
    shared.tighten(10, attempt = 1)
    shared.tighten(20, attempt = 2)
    shared.tighten(15, attempt = 3)
    assert(shared.now(Some(1L)).contains(TopBound(20, isStrict = false)))
    assert(shared.now(Some(2L)).contains(TopBound(20, isStrict = true)))
    assert(shared.now(Some(4L)).contains(TopBound(20, isStrict = false)))
    shared.learn(TopBound(20, isStrict = true))
    assert(shared.now(Some(4L)).contains(TopBound(20, isStrict = true)))
    shared.learn(TopBound(18, isStrict = true))
    assert(shared.now(Some(4L)).contains(TopBound(20, isStrict = true)))
  }

  test("one bound a search") {
    val one = order()
    assert(SharedBounds.of(one, IntegerType) eq SharedBounds.of(one, IntegerType))
    assert(!(SharedBounds.of(one, IntegerType) eq SharedBounds.of(order(), IntegerType)))
  }
}
