// SPDX-License-Identifier: Apache-2.0
package latebloom.read.selection

import scala.collection.immutable.BitSet
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.RandomCases

/** Compares selections with sets of ints. */
class SelectionSuite extends AnyFunSuite with RandomCases {

  private def selection(rows: Int, model: BitSet): Selection = {
    val builder = new Selection.Builder(rows)
    model.foreach(builder.add(_))
    builder.build()
  }

  private def positions(s: Selection, from: Int, to: Int, max: Int): Seq[Int] = {
    val out = Array.fill(s.rows + 1)(-7)
    val n = s.positions(from, to, max, out)
    assert(out.drop(n).forall(_ == -7) && n <= max)
    out.take(n).toSeq
  }

  /** Row sets of every density and texture. */
  private def randomRows(random: Random, rows: Int): BitSet =
    if (rows == 0) BitSet.empty
    else
      random.nextInt(6) match {
        case 0 => BitSet.empty
        case 1 => BitSet(0 until rows: _*)
        case 2 => BitSet(Seq.fill(random.nextInt(5))(random.nextInt(rows)): _*)
        case 3 =>
          val density = random.nextDouble()
          BitSet((0 until rows).filter(_ => random.nextDouble() < density): _*)
        case 4 =>
          BitSet(0 until rows: _*) -- Seq.fill(random.nextInt(5))(random.nextInt(rows))
        case _ =>
          val mean = 1 + random.nextInt(200)
          var row = 0
          var on = random.nextBoolean()
          val chosen = Seq.newBuilder[Int]
          while (row < rows) {
            val end = math.min(rows, row + 1 + random.nextInt(mean))
            if (on) chosen ++= (row until end)
            on = !on
            row = end
          }
          BitSet(chosen.result(): _*)
      }

  private def randomSize(random: Random): Int =
    random.oneOf(0, 1, 2, 63, 64, 65, 128, 127, 1000, 1024, 3000)

  test("a selection's spread is the share of equal parts that hold a selected row") {
    val rows = 128 * 50
    assert(Selection.all(rows).spread == 1 && Selection.none(rows).spread == 0)
    assert(selection(rows, BitSet((0 until rows by 50): _*)).spread == 1)
    assert(selection(rows, BitSet(0, 1, 49, 6399)).spread == 2.0 / 128)
    assert(selection(3, BitSet(1)).spread == 1.0 / 3)
  }

  test("a selection answers every question as the set of its rows does") {
    forSeeds(300) { random =>
      val rows = randomSize(random)
      val model = randomRows(random, rows)
      val s = selection(rows, model)
      assert(s.rows == rows && s.count == model.size)
      assert(s.isNone == model.isEmpty && s.isAll == (model.size == rows))
      assert(positions(s, 0, rows, rows) == model.toSeq)
      for (_ <- 0 until 30) {
        val ends = Seq.fill(2)(random.nextInt(rows + 1)).sorted
        val (from, to) = (ends.head, ends.last)
        val inside = model.range(from, to).toSeq
        assert(s.countIn(from, to) == inside.size, s"in [$from, $to) of $s")
        assert(s.anyIn(from, to) == inside.nonEmpty)
        assert(s.allIn(from, to) == (inside.size == to - from))
        assert(s.nextSelected(from) == model.find(_ >= from).getOrElse(-1))
        val unselected = (from until rows).find(!model(_)).getOrElse(rows)
        assert(s.nextUnselected(from) == unselected)
        val max = random.oneOf(0, 1, 5, 63, 64, 65, rows)
        assert(positions(s, from, to, max) == inside.take(max), s"[$from, $to) of $s")
      }
    }
  }

  test("intersect, minus and complement are those of sets") {
    forSeeds(500) { random =>
      val rows = randomSize(random)
      val (a, b) = (randomRows(random, rows), randomRows(random, rows))
      val (sa, sb) = (selection(rows, a), selection(rows, b))
      assert(sa.intersect(sb) == selection(rows, a & b))
      assert(sa.minus(sb) == selection(rows, a &~ b))
      assert(sa.complement == selection(rows, BitSet(0 until rows: _*) &~ a))
    }
  }

  test("the order and manner of adding rows make no difference") {
    forSeeds(300) { random =>
      val rows = randomSize(random)
      val model = randomRows(random, rows)
      val expected = selection(rows, model)

      val shuffled = new Selection.Builder(rows)
      random.shuffle(model.toSeq ++ model.toSeq.take(5)).foreach(shuffled.add(_))

      val chunked = new Selection.Builder(rows)
      random.shuffle(model.toSeq.grouped(1 + random.nextInt(100)).toSeq).foreach { chunk =>
        val array = chunk.toArray
        chunked.add(array ++ Array(-1), array.length)
      }

      val ranged = new Selection.Builder(rows)
      val ranges = expected.ranges(0).grouped(2).map(r => (r(0), r(1))).toSeq
      random.shuffle(ranges).foreach { case (from, to) =>
        val mid = from + random.nextInt(to - from + 1)
        ranged.addRange(mid, to)
        ranged.addRange(from, mid)
      }

      Seq(shuffled, chunked, ranged).map(_.build()).foreach { s =>
        assert(s == expected && s.hashCode == expected.hashCode && s.toString == expected.toString)
      }
      assert(Selection.ofRuns(rows, ranges.map(_._1).toArray, ranges.map(_._2).toArray) == expected)
    }
  }

  test("ranges cover the selected rows, and gaps up to the given one") {
    forSeeds(300) { random =>
      val rows = randomSize(random)
      val model = randomRows(random, rows)
      val gap = random.oneOf(0, 1, 10, 100)
      val covered = model.foldLeft(Vector.empty[(Int, Int)]) {
        case (done :+ ((from, to)), row) if row - to <= gap => done :+ ((from, row + 1))
        case (done, row)                                    => done :+ ((row, row + 1))
      }
      val ranges = selection(rows, model).ranges(gap).grouped(2).map(r => (r(0), r(1))).toVector
      assert(ranges == covered)
    }
  }

  test("touching runs are one run") {
    val s = Selection.ofRuns(10, Array(1, 3, 7), Array(3, 5, 8))
    assert(s == Selection.ofRuns(10, Array(1, 7), Array(5, 8)))
    assert(s.ranges(0).toSeq == Seq(1, 5, 7, 8))
    assert(s.ranges(2).toSeq == Seq(1, 8))
    assert(s.toString == "5 of 10 rows: 1-4, 7")
  }

  test("runs out of order, rows outside the row group and foreign selections are refused") {
    intercept[IllegalArgumentException](Selection.ofRuns(10, Array(5, 1), Array(6, 2)))
    intercept[IllegalArgumentException](Selection.ofRuns(10, Array(5), Array(5)))
    intercept[IndexOutOfBoundsException](Selection.ofRuns(10, Array(5), Array(11)))
    intercept[IndexOutOfBoundsException](new Selection.Builder(10).add(10))
    intercept[IndexOutOfBoundsException](new Selection.Builder(10).add(Array(3, -1), 2))
    intercept[IllegalArgumentException](Selection.all(3).intersect(Selection.all(4)))
    intercept[IllegalArgumentException](Selection.none(-1))
  }

  test("bits added by the word select their rows") {
    forSeeds(300) { random =>
      val rows = 64 + random.nextInt(2000)
      val builder = new Selection.Builder(rows)
      val model = new java.util.BitSet
      for (_ <- 0 until random.nextInt(60)) {
        val from = random.nextInt(rows - 63)
        val bits =
          random.oneOf(random.nextLong(), -1L, 0L, 1L, Long.MinValue, -1L >>> random.nextInt(64))
        builder.addBits(from, bits)
        (0 until 64).filter(i => (bits >>> i & 1) == 1).foreach(i => model.set(from + i))
      }
      val selection = builder.build()
      assert(selection.count == model.cardinality)
      assert((0 until rows).forall(r => selection.anyIn(r, r + 1) == model.get(r)))
    }
    intercept[IndexOutOfBoundsException](new Selection.Builder(70).addBits(10, -1L))
  }
}
