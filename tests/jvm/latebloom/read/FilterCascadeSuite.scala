// SPDX-License-Identifier: Apache-2.0
package latebloom.read

import java.util.{List => JavaList, UUID}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.types._

import latebloom.read.MemoryRowGroup.{Column, positions, select}
import latebloom.read.ScanFilter.{ColumnFilter, JoinKeyFilter, JoinKeySource, OptionalFilter}
import latebloom.read.predicate.{ColumnPredicate, LongRanges, RowPredicate}
import latebloom.read.selection.Selection
import latebloom.read.task.{Counter, Counters}

/** In which order filters are evaluated, on which rows, and what is fetched for them. */
class FilterCascadeSuite extends AnyFunSuite with RandomCases {
  private val RowCount = 1000

  private def column(value: Int => Long): Column =
    Column(LongType, Array.tabulate[Any](RowCount)(value(_)))

  /** Passes the rows whose value is below `end`. */
  private def below(column: Int, end: Long): ScanFilter = new ColumnFilter(
    column,
    column + 1,
    new ColumnPredicate.Longs(false, LongRanges.atMost(end - 1)),
    s"c$column < $end"
  )

  /** The keys of a join, which are not known at first. */
  private class Keys(predicate: ColumnPredicate) extends JoinKeySource {
    @volatile var come = false
    override def isKnown: Boolean = come
    override def predicate(): ColumnPredicate = {
      require(come)
      predicate
    }
  }

  private def optional(filter: ScanFilter) = {
    val keys = new Keys(null)
    keys.come = true
    new OptionalFilter(filter, keys, s"join: ${filter.text}")
  }

  /** Fails for negative values, and passes the rows whose value is below `end`. */
  private def fragile(column: Int, end: Long): ScanFilter = {
    val predicate: RowPredicate = () =>
      row => {
        if (row.getLong(0) < 0) throw new ArithmeticException(s"of ${row.getLong(0)}")
        row.getLong(0) < end
      }
    new RowFilter(Array(column), column + 1, predicate, s"fragile c$column < $end")
  }

  /** A cascade of a scan that nothing is known of. */
  private class Cascade(anyOrder: Int, filters: ScanFilter*) {
    private val schema = StructType((0 until 9).map(c => StructField(s"c$c", LongType)))
    val counters = new Counters

    private val spec = new ScanSpec(
      UUID.randomUUID.toString,
      schema,
      2,
      JavaList.of(),
      JavaList.of(),
      new ScanSpec.Filters(filters.asJava, anyOrder, null),
      new ScanSpec.Options(0, 0, 0.5, 64)
    )

    val cascade = new FilterCascade(spec, counters)

    /** As another task of the scan begins, in the same process. */
    def another: FilterCascade = new FilterCascade(spec, new Counters)

    def apply(
        group: RowGroup,
        window: Selection = Selection.all(RowCount),
        sample: Boolean = false
    ): Selection = {
      val evaluated = cascade.fetch(group, window, window, sample, JavaList.of())
      cascade.filter(group, evaluated, window, sample)
    }
  }

  private def looked(group: MemoryRowGroup): Seq[(Int, Int)] =
    group.looks.toSeq.map { case (column, rows) => column -> rows.count }

  test("a filter sees only the rows that those before it left, and of those only the window's") {
    val group = new MemoryRowGroup(Seq(column(_ % 10L), column(_ / 100L), column(_ % 3L)))
    val window = select(RowCount, 200 until 900)
    val left = new Cascade(3, below(0, 5), below(1, 4), below(2, 1))(group, window)
    assert(positions(left) == (200 until 900).filter(r => r % 10 < 5 && r / 100 < 4 && r % 3 < 1))
    assert(looked(group) == Seq(0 -> 700, 1 -> 350, 2 -> 100))
    val Seq(_, second, _) = group.looks.toSeq
    assert(positions(second._2) == (200 until 900).filter(_ % 10 < 5))
  }

  test("once no row is left nothing more is read") {
    val group = new MemoryRowGroup(Seq(column(_ => 7), column(r => r), column(r => r)))
    val cascade = new Cascade(2, below(0, 7), below(1, 9), fragile(2, 9))
    assert(cascade(group).isNone)
    assert(looked(group) == Seq(0 -> RowCount))
    assert(cascade.counters.get(Counter.ROWS_FILTERED) == RowCount)
    // It is known now: the other columns are not even fetched with the first.
    val next = new MemoryRowGroup(Seq(column(_ => 7), column(r => r), column(r => r)))
    assert(cascade(next).isNone)
    assert(next.fetches.map(_.distinct).flatten.toSet == Set(0))
  }

  test("columns of filters that most rows are expected to reach are fetched in one request") {
    def groups = new MemoryRowGroup(Seq(column(_ % 2L), column(_ % 3L), column(r => r)))
    val cascade = new Cascade(3, below(0, 1), below(1, 1), below(2, 999))
    val first = groups
    cascade(first)
    assert(first.fetches.head == Seq(0, 1, 2))
    // Payload that is asked for with them is in the same request.
    val second = groups
    val need = new RowGroup.Need(2, Selection.all(RowCount), false)
    val all = Selection.all(RowCount)
    cascade.cascade.fetch(second, all, all, false, Seq(need).asJava)
    assert(second.fetches.toSeq == Seq(Seq(0, 1, 2, 2)))
  }

  test("the rest of a row group is fetched with a window where that costs less than a request") {
    def fetched(worth: Long): Seq[Int] = {
      val needed = Seq.newBuilder[Int]
      val group = new MemoryRowGroup(Seq(column(_ % 2L)), roundTrip = worth) {
        override def fetch(needs: JavaList[RowGroup.Need]): Unit = {
          needed ++= needs.asScala.map(_.rows.count)
          super.fetch(needs)
        }
      }
      val window = select(RowCount, 0 until 100)
      new Cascade(1, below(0, 1)).cascade
        .fetch(group, window, Selection.all(RowCount), false, JavaList.of())
      needed.result()
    }
    assert(fetched(8L * RowCount - 1) == Seq(100))
    assert(fetched(8L * RowCount) == Seq(RowCount))
  }

  test("the filter that drops rows comes first once a sample has shown it, in other tasks too") {
    val cascade = new Cascade(2, below(0, 10), below(1, 1))
    // A pause of the machine must not make the other filter look as costly.
    def group = new MemoryRowGroup(Seq(column(_ % 10L), column(_ % 100L))) {
      override def cursor(column: Int, use: Int, rows: Selection): ColumnCursor = {
        if (column == 0) Thread.sleep(20)
        super.cursor(column, use, rows)
      }
    }
    val before = group
    cascade(before)
    assert(looked(before) == Seq(0 -> RowCount, 1 -> RowCount))
    val sampled = group
    assert(cascade(sampled, sample = true).count == 10)
    assert(looked(sampled) == Seq(0 -> RowCount, 1 -> RowCount))
    assert(cascade.counters.get(Counter.FILTER_SAMPLES) == 1)
    assert(cascade.counters.get(Counter.FILTER_REORDERS) == 1)
    val after = group
    cascade(after)
    assert(looked(after) == Seq(1 -> RowCount, 0 -> 10))
    assert(cascade.cascade.firstColumns(group).asScala.head == 1)
    assert(cascade.another.firstColumns(group).asScala.head == 1)
  }

  test("what may fail is last, though it drops the most, and no sample asks it first") {
    def group = new MemoryRowGroup(Seq(column(_ % 10L), column(r => if (r % 10 < 5) r else -1L)))
    val cascade = new Cascade(1, below(0, 5), fragile(1, 3))
    Seq(false, true, true, false).foreach { sample =>
      val of = group
      assert(positions(cascade(of, sample = sample)) == Seq(0, 1, 2))
      assert(looked(of).map(_._1).distinct == Seq(0, 1))
      assert(positions(of.looks.last._2).forall(_ % 10 < 5))
    }
    // In its order among others of its kind: the first keeps the second from what it fails for.
    val two = new Cascade(0, fragile(0, 5), fragile(1, 3))
    assert(two(group, sample = true).count == 3)
    assert(Try(new Cascade(0, fragile(1, 3), fragile(0, 5))(group)).isFailure)
    assert(cascade.cascade.takeSample() == false) // One filter has no order.
  }

  test("a filter that may be left out is, while it passes nearly all, and is tried again") {
    val cascade = new Cascade(2, below(0, 5), optional(below(1, 9)))
    var of = 10L
    def group = new MemoryRowGroup(Seq(column(_ % 10L), column(_ / 10L % of)))
    def asks(sample: Boolean = false): Boolean = {
      val next = group
      cascade(next, sample = sample)
      looked(next).map(_._1).contains(1)
    }
    assert(asks() && !asks() && !asks())
    assert(cascade.counters.get(Counter.JOIN_FILTERS_OFF) == 2)
    assert(cascade.counters.get(Counter.JOIN_ROWS_TESTED) == 500)
    assert(cascade.counters.get(Counter.JOIN_ROWS_DROPPED) == 50)
    assert(!cascade.cascade.firstColumns(group).contains(1))
    assert((0 until 5).exists(_ => cascade.cascade.takeSample()))
    of = 100
    assert(asks(sample = true) && asks())
  }

  test("a filter by the keys of a join is evaluated from the window on at which they are known") {
    val keys = new Keys(new ColumnPredicate.Longs(false, LongRanges.atMost(9)))
    val join = new OptionalFilter(new JoinKeyFilter(1, 2, keys, "keys"), keys, "keys")
    val cascade = new Cascade(2, below(0, 5), join)
    def group = new MemoryRowGroup(Seq(column(_ % 10L), column(r => r)))
    val first = group
    assert(!cascade.cascade.firstColumns(first).contains(1))
    assert(cascade(first).count == 500 && cascade(first, sample = true).count == 500)
    assert(!first.fetches.flatten.contains(1) && !looked(first).exists(_._1 == 1))
    assert(cascade.counters.get(Counter.JOIN_KEYS_LATE) == 2)
    keys.come = true
    assert(cascade.cascade.firstColumns(first).contains(1))
    assert(positions(cascade(group)) == (0 until 5))
    assert(cascade.counters.get(Counter.JOIN_KEYS_LATE) == 2)
    assert(cascade.counters.get(Counter.JOIN_ROWS_DROPPED) == 495)
  }

  test("once a join is known to have no key on the other side, nothing is left of a row group") {
    val keys = new Keys(new ColumnPredicate.Longs(false, LongRanges.ofPoints()))
    val join = new OptionalFilter(new JoinKeyFilter(1, 2, keys, "keys"), keys, "keys")
    val cascade = new Cascade(1, join)
    val group = new MemoryRowGroup(Seq(column(_ % 10L), column(r => r)))
    assert(cascade.cascade.prune(group).count == RowCount)
    keys.come = true
    assert(cascade.cascade.prune(group).isNone)
  }

  test("a filter that must be evaluated is, though it passes all") {
    val cascade = new Cascade(2, below(0, 5), below(1, 1000))
    (0 until 3).foreach { _ =>
      val group = new MemoryRowGroup(Seq(column(_ % 10L), column(r => r)))
      assert(cascade(group).count == 500)
      assert(looked(group).map(_._1) == Seq(0, 1))
    }
  }

  test("a filter that statistics prove to pass all rows is neither fetched nor evaluated") {
    val group = new MemoryRowGroup(Seq(column(_ % 10L), column(_ => 3L)), (c, _) => c == 1)
    assert(new Cascade(2, below(1, 4), below(0, 5))(group).count == 500)
    assert(looked(group) == Seq(0 -> RowCount))
    assert(group.fetches.flatten.toSet == Set(0))
    assert(new Cascade(2, below(1, 4), below(0, 5)).cascade.firstColumns(group).asScala == Seq(0))
  }

  test("indexes that rule nothing out are read seldom, until they do again") {
    class Prunable(rules: Boolean) extends MemoryRowGroup(Seq(column(r => r))) {
      var pruned = 0
      override def prune(): Selection = {
        pruned += 1
        if (rules) select(RowCount, 0 until 10) else Selection.all(RowCount)
      }
    }
    val cascade = new Cascade(1, below(0, 5))
    def reads(rules: Boolean): Boolean = {
      val group = new Prunable(rules)
      val rows = cascade.cascade.prune(group)
      assert(rows.count == (if (rules && group.pruned == 1) 10 else RowCount))
      group.pruned == 1
    }
    val tried = (0 until 40).filter(_ => reads(rules = false))
    assert(tried == Seq(0, 1, 2, 3, 32))
    assert((0 until 40).count(_ => reads(rules = true)) > 1)
    assert(cascade.cascade.prunes && reads(rules = true))
  }

  test("what share survives is what the last windows have shown, and 0 before") {
    val cascade = new Cascade(1, below(0, 5))
    assert(cascade.cascade.survival == 0)
    cascade(new MemoryRowGroup(Seq(column(_ % 10L))))
    assert(cascade.cascade.survival == 0.5)
    cascade(new MemoryRowGroup(Seq(column(_ % 100L))))
    assert(math.abs(cascade.cascade.survival - (0.5 + 0.05) / 2) < 1e-9)
    assert(cascade.another.survival == cascade.cascade.survival)
  }

  test("payload saves nothing where all of it is worth less than a request") {
    def saves(worth: Long): Boolean = {
      val group = new MemoryRowGroup(Seq(column(r => r), column(r => r)), roundTrip = worth)
      !new Cascade(1, below(0, 5)).cascade.payloadSavesNothing(group, Selection.all(RowCount))
    }
    // Two columns of payload, eight bytes a value.
    assert(saves(0) && saves(16L * RowCount - 1) && !saves(16L * RowCount))
  }

  test("payload of few rows saves all of a column that cannot be fetched in parts") {
    def saves(inPages: Boolean): Boolean = {
      val columns = Seq(column(r => r), column(r => r))
      val group = new MemoryRowGroup(columns, roundTrip = 4L * RowCount) {
        override def bytes(column: Int, rows: Selection): Long =
          if (inPages) super.bytes(column, rows) else bytes(column)
      }
      val few = select(RowCount, 0 until 10)
      !new Cascade(1, below(0, 5)).cascade.payloadSavesNothing(group, few)
    }
    assert(!saves(inPages = true) && saves(inPages = false))
  }

  test("whatever was learned, the rows that pass are those that pass every filter") {
    forSeeds(20) { random =>
      val n = 1 + random.nextInt(4)
      val ends = Seq.fill(n)(random.nextInt(12))
      val filters = ends.zipWithIndex.map { case (end, c) =>
        if (c < n - 1 || random.nextBoolean()) below(c, end) else fragile(c, end)
      }
      val anyOrder = filters.count(_.isInstanceOf[ColumnFilter])
      val cascade = new Cascade(anyOrder, filters: _*)
      for (_ <- 1 to 12) {
        val values = Seq.fill(n)(Array.fill[Any](RowCount)(random.nextInt(10).toLong))
        val group = new MemoryRowGroup(values.map(Column(LongType, _)))
        val window = select(RowCount, random.shuffle((0 until RowCount).toList).take(300))
        val expected = positions(window).filter { r =>
          values.zip(ends).forall { case (v, end) => v(r).asInstanceOf[Long] < end }
        }
        assert(positions(cascade(group, window, sample = random.nextInt(3) == 0)) == expected)
      }
    }
  }
}
