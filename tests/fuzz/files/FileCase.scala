// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files

import org.apache.spark.sql.latebloom.FileTask

import latebloom.fuzz.files.damage.{Damage, ParquetParts}

/** One damaged file, read by one query.
  *
  * @param steps
  *   the random seed of each damage step; empty for an undamaged file
  * @param cuts
  *   where the file is split, as fractions of its length
  * @param anonymous
  *   whether the file lacks its writer's name, so that no reader trusts its statistics
  */
final case class FileCase(
    id: Long,
    seed: Seed,
    query: FileQuery,
    steps: Seq[Long],
    cuts: Seq[Double],
    anonymous: Boolean
) {
  lazy val bytes: Array[Byte] = damaged._1

  /** A description of each damage step. */
  lazy val damage: Seq[String] = damaged._2

  private lazy val damaged: (Array[Byte], Seq[String]) = {
    val schema = seed.schema
    val aim = Damage.Aim(query.columns(schema), query.filtered(schema), cuts.nonEmpty)
    val (bytes, what) = Damage(seed.bytes, seed.isParquet, aim, steps)
    ParquetParts.of(bytes).filter(_ => anonymous).fold((bytes, what)) { parts =>
      (parts.withoutWriter, what :+ "the writer's name left out of the footer")
    }
  }

  /** The name that errors must contain. */
  def fileName: String = s"case-$id-${seed.name}"

  /** The splits of the file at `path`. */
  def splits(path: String): Seq[FileTask.Split] = {
    // Comparison also stores the case without some metadata, so at another length.
    val length = MemoryFiles.length(path)
    val bounds = (0L +: cuts.map(c => (c * length).toLong) :+ length).distinct
    if (length == 0) Seq(FileTask.Split(path, 0, 0, 0))
    else {
      bounds.zip(bounds.tail).map { case (from, to) =>
        FileTask.Split(path, from, to - from, length)
      }
    }
  }

  override def toString: String = {
    val split = if (cuts.isEmpty) "" else s"\nsplit at ${cuts.mkString(", ")} of its length"
    s"case $id: ${seed.name}, ${bytes.length} bytes\n$query$split\ndamage:\n" +
      damage.map("  " + _).mkString("\n")
  }
}

/** The numbered cases of a run. The cases of a block share their file and their query. */
final class FileCases(seed: Long, files: IndexedSeq[Seed]) {
  import FileCases._

  def file(block: Long): Seed = files(Dice.of(seed, block, 1).below(files.size))

  /** The query of a block, by attempt: LateBloom leaves some queries to Spark. */
  def query(block: Long, attempt: Int): FileQuery =
    FileQuery.random(Dice.of(seed, block, 2, attempt.toLong), file(block))

  /** The case of that number. The first case of each block reads the undamaged file. */
  def apply(id: Long, query: FileQuery): FileCase = {
    val dice = Dice.of(seed, id, 3)
    val n = dice.weighted(60 -> 1, 22 -> 2, 10 -> 3, 5 -> 4, 3 -> 6)
    val steps = if (id % Block == 0) Nil else Seq.fill(n)(dice.long())
    val cuts = if (dice.chance(80)) Nil else Seq.fill(dice.between(1, 2))(dice.below(1000) / 1000.0)
    val good = file(id / Block)
    FileCase(id, good, query, steps, cuts.sorted, good.isParquet && dice.chance(50))
  }
}

object FileCases {
  val Block = 32
}
