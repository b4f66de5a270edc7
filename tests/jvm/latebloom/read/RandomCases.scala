// SPDX-License-Identifier: Apache-2.0
package latebloom.read

import scala.util.Random

import org.scalatest.Assertions

/** Random cases from fixed seeds; a failure names the seed that it came from. */
trait RandomCases extends Assertions {
  def forSeeds(n: Int)(check: Random => Unit): Unit =
    (1 to n).foreach(seed => withClue(s"seed $seed: ")(check(new Random(seed))))

  implicit class Choosing(random: Random) {
    def oneOf[A](choices: A*): A = choices(random.nextInt(choices.size))

    /** `nextLong(bound)`, which Scala 2.12 has not. */
    def below(bound: Long): Long = Math.floorMod(random.nextLong(), bound)
  }
}
