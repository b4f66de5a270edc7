// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom

import java.util.Arrays.compareUnsigned

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import latebloom.line.Compat._

class ByteBoundsSuite extends AnyFunSuite with Probing {

  private def bounds(strings: Seq[Array[Byte]]): ByteBounds = {
    val bounds = new ByteBounds
    strings.foreach { s =>
      val padded = Array[Byte](9) ++ s ++ Array[Byte](9)
      bounds.add(padded, 1, s.length)
    }
    bounds
  }

  private def randomString(random: Random): Array[Byte] = random.nextInt(4) match {
    case 0 => randomBytes(random, 10)
    case 1 => Array.fill(random.oneOf(63, 64, 65, 70))(random.oneOf[Byte](-1, -1, -1, 0))
    case 2 => Array.fill[Byte](random.oneOf(63, 64, 65, 70))(-1)
    case _ => Array.fill[Byte](64)(7) ++ randomBytes(random, 4)
  }

  private def ends(b: ByteBounds) = (b.min.toScala.map(hex), b.max.toScala.map(hex))

  test("every string lies between the bounds, whatever the order of adding") {
    forSeeds(500) { random =>
      val strings = Seq.fill(1 + random.nextInt(6))(randomString(random))
      val all = bounds(strings)
      val min = all.min.get
      assert(min.length <= 64 && strings.forall(compareUnsigned(min, _) <= 0))
      all.max.toScala.foreach { max =>
        assert(max.length <= 64 && strings.forall(compareUnsigned(max, _) >= 0))
      }
      assert(ends(bounds(random.shuffle(strings))) == ends(all))
      val (left, right) = strings.splitAt(random.nextInt(strings.size + 1))
      val joined = bounds(left)
      joined.add(bounds(right))
      assert(ends(joined) == ends(all))
    }
  }

  test("short strings are the bounds themselves") {
    val strings = Seq("b", "a", "ab").map(_.getBytes)
    assert(ends(bounds(strings)) == ((Some("61"), Some("62"))))
    assert(ends(bounds(Nil)) == ((None, None)))
  }

  test("there is no upper bound when no byte can be incremented") {
    assert(bounds(Seq(Array.fill[Byte](65)(-1))).max.isEmpty)
    assert(bounds(Seq(Array.fill[Byte](64)(-1))).max.isPresent)
  }
}
