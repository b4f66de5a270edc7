// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

/** A query with its settings and the tables that it may read. */
final case class Case(
    rel: Rel,
    confs: Map[String, String],
    tables: Seq[Table],
    manner: Manner = Manner.Once
) {
  lazy val sql: String = Rel.text(rel)

  def ordered: Boolean = rel match {
    case Top(_, _) => true
    case _         => false
  }

  def used: Seq[Table] = {
    val names = rel.nodes.collect { case s: Scan => s.table }.toSet
    tables.filter(t => names(t.name))
  }

  /** A script that repeats it elsewhere. */
  def script: String = {
    val changed = confs.filter { case (k, v) => !Confs.plain.get(k).contains(v) }
    (used.flatMap(_.ddl) ++ (Confs.always.take(1) ++ changed.toSeq.sorted).map { case (k, v) =>
      s"set $k=$v"
    } :+ sql).distinct.mkString("", ";\n", s"; -- $manner")
  }
}

/** The way in which a query runs with LateBloom. */
sealed trait Manner

object Manner {
  case object Once extends Manner

  /** Four copies at once, more than the pool has threads for broadcasts. */
  case object Together extends Manner

  /** The same DataFrame again after it failed: the function `flaky` fails the first time. */
  case object Twice extends Manner
}

object Case {

  /** The number of queries that share their tables. */
  val ofWorld = 100

  /** @param trees
    *   whether it shall be a tree of joins
    */
  def of(seed: Long, index: Int, tables: Seq[Table], trees: Boolean): Case = {
    val rng = Rng.of(seed, 2, index)
    val relations = new Relations(rng, tables)
    if (trees) Case(relations.tree(), Confs.ofJoins(rng), tables)
    else rng.weighted[() => Case](
      92 -> (() => Case(relations.query(), Confs.of(rng), tables)),
      3 -> (() => Case(relations.chained(), Confs.of(rng), tables, Manner.Together)),
      5 -> (() => Case(relations.flaky(), Confs.of(rng), tables, Manner.Twice))
    )()
  }
}
