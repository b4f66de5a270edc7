// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import scala.util.Try
import scala.util.control.NonFatal

import latebloom.fuzz.files.Dice

/** Damages a file step by step. */
object Damage {

  /** The target of the damage.
    *
    * @param columns
    *   the columns that the query reads, which get most of the damage
    * @param filtered
    *   the columns that its condition and its join filter test
    * @param split
    *   whether the query reads the file in several splits
    */
  final case class Aim(columns: Set[String], filtered: Set[String], split: Boolean)

  /** Damages a file.
    *
    * @param parquet
    *   whether it is a Parquet file, else ORC
    * @param steps
    *   the random seed of each step
    * @return
    *   the damaged bytes, and a description of each step
    */
  def apply(
      good: Array[Byte],
      parquet: Boolean,
      aim: Aim,
      steps: Seq[Long]
  ): (Array[Byte], Seq[String]) =
    steps.foldLeft((good, Vector.empty[String])) { case ((data, done), seed) =>
      val (damaged, what) = step(data, parquet, aim, new Dice(seed))
      (damaged, done :+ what)
    }

  private def step(
      data: Array[Byte],
      parquet: Boolean,
      aim: Aim,
      dice: Dice
  ): (Array[Byte], String) =
    if (data.isEmpty) {
      (data, "nothing left")
    } else if (dice.chance(2)) {
      Bytes.truncated(dice, data)
    } else {
      val aimed =
        try {
          if (parquet) ParquetParts.of(data).flatMap(new ParquetDamage(data, _, aim)(dice))
          else {
            OrcParts.of(data).filter(p => Try(p.metadata).isSuccess)
              .flatMap(new OrcDamage(data, _, aim)(dice))
          }
        } catch {
          // Earlier steps may have damaged the structure, or named an unknown codec.
          case NonFatal(_) | _: LinkageError => None
        }
      aimed.getOrElse(Bytes.inPlace(dice, data, Bytes.Region("the file", 0, data.length)))
    }
}
