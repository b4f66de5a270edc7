// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import scala.util.Try
import scala.util.control.NonFatal

import latebloom.fuzz.files.Dice

/** Damages a file, one step after the other. */
object Damage {

  /** What the damage is aimed at.
    *
    * @param columns
    *   those that the query reads, which get most of the damage
    * @param filtered
    *   those of them that conditions and keys read
    * @param split
    *   whether the file is read in splits
    */
  final case class Aim(columns: Set[String], filtered: Set[String], split: Boolean)

  /** @param parquet
    *   whether it is a Parquet file, else ORC
    * @param steps
    *   the seed of each
    * @return
    *   the damaged bytes and what each step did
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
