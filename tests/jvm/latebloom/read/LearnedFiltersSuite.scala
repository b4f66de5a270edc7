// SPDX-License-Identifier: Apache-2.0
package latebloom.read

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.selection.Selection

/** The order of filters, computed from each filter's effect on a sample. */
class LearnedFiltersSuite extends AnyFunSuite with RandomCases {
  private val Rows = 20000

  private def passing(share: Double, random: Random): Selection = {
    val builder = new Selection.Builder(Rows)
    (0 until Rows).filter(_ => random.nextDouble() < share).foreach(builder.add(_))
    builder.build()
  }

  /** A sample of filters with these costs, in nanoseconds a row, measured on every row. */
  private def sample(filters: (Selection, Double)*): FilterSample = {
    val all = Selection.all(Rows)
    val sample = new FilterSample(all, filters.indices.toArray)
    filters.zipWithIndex.foreach { case ((passed, cost), i) =>
      sample.measured(i, all, passed, (cost * Rows).toLong)
    }
    sample
  }

  test("for independent filters no order costs clearly less than the best") {
    forSeeds(50) { random =>
      val filters = Seq.fill(2 + random.nextInt(4)) {
        (passing(random.oneOf(0.0, 0.01, 0.5, 0.9, 1.0), random), 1 + 50 * random.nextDouble())
      }
      val s = sample(filters: _*)
      val least = filters.indices.permutations.map(p => s.cost(p.toArray)).min
      assert(s.cost(s.best()) <= 1.05 * least)
    }
  }

  test("only one of two filters that drop the same rows comes first") {
    val random = new Random(1)
    val same = passing(0.1, random)
    val other = passing(0.5, random)
    assert(sample((same, 2.0), (other, 4.0), (same, 1.0)).best().toSeq == Seq(2, 1, 0))
  }

  test("a filter measured on the remaining rows, or on none, has its place, too") {
    val random = new Random(2)
    val all = Selection.all(Rows)
    val half = passing(0.5, random)
    val s = new FilterSample(all, Array(0, 1, 2))
    s.measured(0, all, half, 10L * Rows)
    s.measured(1, half, half.intersect(passing(0.001, random)), 5L * half.count)
    assert(s.best().toSeq == Seq(1, 0, 2))
  }

  test("the order changes when that clearly pays, and unmeasured filters stay") {
    val random = new Random(3)
    val half = passing(0.5, random)
    val learned = new LearnedFilters(4)
    val s = new FilterSample(Selection.all(Rows), Array(0, 2, 3))
    def measure(cost0: Int, cost2: Int, cost3: Int): Boolean = {
      Seq(cost0, cost2, cost3).zipWithIndex.foreach { case (cost, i) =>
        s.measured(i, Selection.all(Rows), half, cost.toLong * Rows)
      }
      learned.learn(s)
    }
    assert(!measure(100, 99, 98))
    assert(learned.order.toSeq == Seq(0, 1, 2, 3))
    assert(measure(100, 50, 10))
    assert(learned.order.toSeq == Seq(3, 1, 2, 0))
    assert(!measure(100, 50, 10))
  }

  test("samples grow rare while nothing changes, and are taken soon after a change") {
    val random = new Random(4)
    val learned = new LearnedFilters(2)
    def windows(n: Int, passed: Int): Seq[Int] = (0 until n).filter { _ =>
      learned.observe(0, 100, passed)
      val due = learned.takeSample()
      if (due) learned.learn(sample((passing(passed / 100.0, random), 1), (Selection.all(Rows), 1)))
      due
    }
    assert(windows(200, 50) == Seq(1, 3, 6, 11, 20, 37, 70, 103, 136, 169))
    assert(windows(6, 90).headOption.exists(_ <= 2))
  }

  test("no sample is taken where the first filter passes next to nothing") {
    val learned = new LearnedFilters(2)
    assert(!(0 until 100).exists { _ =>
      learned.observe(0, 1000, 1)
      learned.takeSample()
    })
  }
}
