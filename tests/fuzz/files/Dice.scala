// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import java.util.SplittableRandom

/** Makes random choices; the same seed makes the same choices. */
final class Dice(seed: Long) {
  private val random = new SplittableRandom(seed)

  def long(): Long = random.nextLong()

  /** A number from 0 up to, but excluding, `below`. */
  def below(below: Int): Int = random.nextInt(below)

  /** A number from `low` to `high`, both included. */
  def between(low: Int, high: Int): Int = random.nextInt(low, high + 1)

  def chance(percent: Int): Boolean = random.nextInt(100) < percent

  def pick[A](choices: collection.IndexedSeq[A]): A = choices(random.nextInt(choices.size))

  def oneOf[A](choices: A*): A = pick(choices.toIndexedSeq)

  /** One of the choices, with a probability proportional to its weight. */
  def weighted[A](choices: (Int, A)*): A = {
    var left = random.nextInt(choices.map(_._1).sum)
    choices.find { case (weight, _) => left -= weight; left < 0 }.get._2
  }

  /** At least one of the choices, in their order; each further one with a chance in percent. */
  def some[A](choices: Seq[A], percent: Int): Seq[A] = {
    val sure = below(choices.size)
    choices.zipWithIndex.collect { case (c, i) if i == sure || chance(percent) => c }
  }

  def bytes(n: Int): Array[Byte] = Array.fill(n)(random.nextInt(256).toByte)
}

object Dice {

  /** The dice of one part of a seeded run. */
  def of(seed: Long, parts: Long*): Dice = new Dice(mixed(seed, parts: _*))

  def mixed(seed: Long, parts: Long*): Long =
    parts.foldLeft(seed) { (h, part) =>
      val x = (h ^ part * 0x9e3779b97f4a7c15L) * 0xbf58476d1ce4e5b9L
      (x ^ x >>> 31) * 0x94d049bb133111ebL
    }
}
