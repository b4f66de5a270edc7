// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

import scala.util.Random
import scala.util.hashing.MurmurHash3

/** Random choices that a seed determines. */
final class Rng(seed: Long) {
  private val random = new Random(seed)

  def below(n: Int): Int = random.nextInt(n)

  def chance(percent: Int): Boolean = random.nextInt(100) < percent

  def pick[A](from: Seq[A]): A = from(random.nextInt(from.size))

  def some[A](from: Seq[A], least: Int, most: Int): Seq[A] =
    random.shuffle(from).take(least + below(most - least + 1))

  def shuffled[A](from: Seq[A]): Seq[A] = random.shuffle(from)

  /** Picks one of the choices by weight. */
  def weighted[A](choices: (Int, A)*): A = {
    var left = random.nextInt(choices.map(_._1).sum)
    choices.find { case (weight, _) =>
      left -= weight
      left < 0
    }.get._2
  }
}

object Rng {

  /** Mixes the bits, so that neighbouring numbers give independent streams. */
  def of(seed: Long, salt: Int, index: Int): Rng = {
    val parts = Seq(seed, salt.toLong, index.toLong)
    new Rng(MurmurHash3.orderedHash(parts, 1).toLong << 32 ^ MurmurHash3.orderedHash(parts, 2))
  }
}
