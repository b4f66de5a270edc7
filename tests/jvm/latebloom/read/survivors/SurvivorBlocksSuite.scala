// SPDX-License-Identifier: Apache-2.0
package latebloom.read.survivors

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.selection.Selection

class SurvivorBlocksSuite extends AnyFunSuite {
  private val block = SurvivorBlocks.BLOCK

  /** Of all filters of a scan. */
  private def recorder() = new SurvivorRecorder(SurvivorRecorder.ALL)

  private def some(rows: Int, share: Double, random: Random): Selection = {
    val builder = new Selection.Builder(rows)
    (0 until rows).foreach(r => if (random.nextDouble() < share) builder.add(r))
    builder.build()
  }

  /** The rows of all blocks that have one of these. */
  private def widened(rows: Selection): Selection = {
    val builder = new Selection.Builder(rows.rows)
    for (from <- 0 until rows.rows by block) {
      val to = math.min(from + block, rows.rows)
      if (rows.anyIn(from, to)) builder.addRange(from, to)
    }
    builder.build()
  }

  private def union(one: Selection, other: Selection): Selection =
    one.complement().minus(other).complement()

  private def same(one: Selection, other: Selection) =
    one.minus(other).isNone && other.minus(one).isNone

  test("what is recorded are the blocks with a row that was not dropped") {
    val random = new Random(3)
    for (_ <- 0 until 200) {
      val r = recorder()
      var first = random.nextInt(5).toLong << 31
      val groups = (0 until 1 + random.nextInt(3)).map { _ =>
        val rows = 1 + random.nextInt(70 * block)
        val begun = first
        r.begin(begun, rows)
        val dropped = Seq.fill(random.nextInt(4)) {
          if (random.nextBoolean()) some(rows, random.nextDouble(), random)
          else {
            val from = random.nextInt(rows)
            Selection.ofRuns(rows, Array(from), Array(from + 1 + random.nextInt(rows - from)))
          }
        }
        dropped.foreach(r.dropped(0, _))
        first += rows
        val left = dropped.foldLeft(Selection.all(rows))(_.minus(_))
        (begun, rows, widened(left))
      }
      val found = r.found(100, 200, random.nextBoolean()).head
      for ((begun, rows, left) <- groups) assert(same(found.of(begun, rows), left))
      assert(found.of(first, 10).isAll, "a row group that was never seen")
      assert(found.of(groups.head._1, groups.head._2 + 1).isAll, "another row group")
    }
  }

  test("a set of filters has the blocks of which each row was dropped by one of it") {
    import SurvivorRecorder.setOf
    val random = new Random(5)
    for (_ <- 0 until 200) {
      val rows = 1 + random.nextInt(20 * block)
      val sets = SurvivorRecorder.ALL +: Seq.fill(4)(random.nextInt(16).toLong)
      val r = new SurvivorRecorder(sets: _*)
      r.begin(7, rows)
      var left = Selection.all(rows)
      val dropped = random.shuffle((0 to 5).toList).map { filter =>
        val kept = left.intersect(some(rows, math.pow(random.nextDouble(), 4), random))
        val gone = left.minus(kept)
        left = kept
        // The last is statistics, and one has a number too great to be told apart.
        if (filter == 5) r.kept(kept) else r.dropped(if (filter == 4) 63 else filter, gone)
        (if (filter < 4) setOf(filter) else 0L) -> gone
      }
      val found = r.found(0, 100, true)
      assert(found(0).isEmpty(0, 100) == left.isNone)
      for ((set, of) <- sets.zip(found)) {
        val byOthers = dropped.collect {
          case (by, gone) if set != SurvivorRecorder.ALL && (by & set) == 0 => gone
        }
        val expected = widened(byOthers.foldLeft(left)(union))
        assert(same(of.of(7, rows), expected), set)
        assert(of.isEmpty(0, 100) == (set == SurvivorRecorder.ALL && left.isNone))
      }
    }
    assert(setOf(62) != 0 && setOf(63) == 0)
  }

  test("a split is empty if the scan came to its end and no row was left") {
    def found(finished: Boolean, record: SurvivorRecorder => Unit) = {
      val r = recorder()
      record(r)
      r.found(10, 20, finished).head
    }
    def dropping(rows: Int*)(r: SurvivorRecorder): Unit = {
      r.begin(0, 2)
      rows.foreach(i => r.dropped(0, Selection.ofRuns(2, Array(i), Array(i + 1))))
    }
    assert(found(true, _ => ()).isEmpty(10, 20), "statistics ruled out all row groups")
    assert(found(true, dropping(0, 1)).isEmpty(12, 18))
    assert(!found(true, dropping(0, 1)).isEmpty(12, 21))
    assert(!found(true, dropping(0)).isEmpty(10, 20))
    assert(!found(false, dropping(0, 1)).isEmpty(10, 20), "a LIMIT ended the scan")
    assert(found(false, dropping(0, 1)).of(0, 2).isNone)
    assert(!found(true, r => { dropping(0, 1)(r); r.beginUnknown() }).isEmpty(10, 20))
    assert(found(true, dropping(0)).isUnknown)
  }

  test("what two scans found holds together") {
    val random = new Random(4)
    for (_ <- 0 until 200) {
      val rows = 1 + random.nextInt(9 * block)
      val parts = Seq.fill(2) {
        val left =
          Selection.all(rows).minus(some(rows, 1 - math.pow(random.nextDouble(), 8), random))
        val r = recorder()
        r.begin(7, rows)
        r.dropped(0, left.complement())
        val from = random.nextInt(50).toLong
        val to = from + 1 + random.nextInt(50)
        (r.found(from, to, true).head, from, to, left)
      }
      val both = parts(0)._1.and(parts(1)._1)
      assert(same(both.of(7, rows), widened(parts(0)._4).intersect(widened(parts(1)._4))))
      val empty = parts.filter(_._4.isNone)
      for (at <- 0 until 110) {
        val covered = empty.exists { case (_, from, to, _) => from <= at && at + 1 <= to }
        assert(both.isEmpty(at, at + 1) == covered)
      }
    }
  }

  test("adjoining splits without survivors are one") {
    def empty(from: Long, to: Long) = recorder().found(from, to, true).head
    val all = Seq(empty(0, 10), empty(20, 30), empty(10, 20)).reduce(_.and(_))
    assert(all.isEmpty(0, 30) && !all.isEmpty(0, 31))
    assert(!empty(0, 10).and(empty(11, 20)).isEmpty(0, 20))
  }

  test("of a file that has changed nothing is known") {
    def found(rows: Int) = {
      val r = recorder()
      r.begin(0, rows)
      r.dropped(0, Selection.all(rows))
      r.found(0, 10, true).head
    }
    assert(found(5).and(found(6)).isUnknown)
    assert(found(5).and(found(5)).isEmpty(0, 10))
  }
}
