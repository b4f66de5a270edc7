// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.RandomCases

class SpareArraysSuite extends AnyFunSuite with RandomCases {
  private val kb = 1 << 10

  test("a returned array serves again for lengths that are not much smaller") {
    val spare = new SpareArrays(10000L * kb)
    val first = spare.take(2000 * kb)
    assert(first.length >= 2000 * kb && first.length <= 2250 * kb)
    assert(spare.take(2000 * kb) ne first)
    spare.give(first)
    assert(spare.take(2300 * kb) ne first)
    assert(spare.take(300 * kb) ne first)
    assert(spare.take(1800 * kb) eq first)
    assert(spare.take(1800 * kb) ne first)
  }

  test("the smallest sufficient array is taken") {
    val spare = new SpareArrays(10000L * kb)
    val arrays = Seq(900, 500, 700).map(n => spare.take(n * kb))
    arrays.foreach(spare.give)
    assert(spare.take(600 * kb) eq arrays(2))
    assert(spare.take(600 * kb) eq arrays(0))
  }

  test("small arrays are not kept, nor more than the limit") {
    val spare = new SpareArrays(2000L * kb)
    val small = spare.take(100 * kb)
    assert(small.length == 100 * kb)
    val arrays = Seq.fill(3)(spare.take(960 * kb))
    (small +: arrays).foreach(spare.give)
    spare.give(new Array[Byte](3000 * kb))
    // The oldest made room.
    val kept = Seq.fill(3)(spare.take(900 * kb))
    assert(arrays.map(a => kept.exists(_ eq a)) == Seq(false, true, true))
    assert(spare.take(100 * kb) ne small)
  }

  test("the arrays of a row group serve the next one, and never two users at once") {
    forSeeds(50) { random =>
      val spare = new SpareArrays(20000L * kb)
      val files = Seq.fill(3)(new FetchArrays(spare))
      val lent = mutable.Map.empty[FetchArrays, Seq[Array[Byte]]].withDefaultValue(Nil)
      for (_ <- 0 until 100) {
        val file = random.oneOf(files: _*)
        if (random.nextInt(3) == 0) {
          file.released()
          lent -= file
        } else {
          file.begin()
          val more = Seq.fill(random.nextInt(4))(file.take(random.nextInt(2000 * kb)))
          file.end(true)
          lent(file) ++= more
          val all = lent.values.flatten.filter(_.length >= SpareArrays.LEAST).toSeq
          assert(all.combinations(2).forall { case Seq(a, b) => a ne b })
        }
      }
    }
  }

  private def serves(array: Array[Byte], spare: SpareArrays): Boolean =
    spare.take(array.length) eq array

  test("arrays that may still be written or read are abandoned") {
    val spare = new SpareArrays(20000L * kb)
    val file = new FetchArrays(spare)

    def fetched(complete: Boolean): Array[Byte] = {
      file.begin()
      val array = file.take(500 * kb)
      file.end(complete)
      array
    }
    val failed = fetched(complete = false)
    file.released()
    assert(!serves(failed, spare))

    file.begin()
    val awaited = file.take(600 * kb)
    file.released()
    file.end(true)
    assert(!serves(awaited, spare))

    // Ended by another thread than the one that reads.
    val read = fetched(complete = true)
    val other = new Thread(() => file.released())
    other.start()
    other.join()
    assert(!serves(read, spare))

    val done = fetched(complete = true)
    file.released()
    assert(serves(done, spare))
  }
}
