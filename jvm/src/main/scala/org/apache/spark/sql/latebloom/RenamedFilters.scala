// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.latebloom

import org.apache.spark.sql.connector.catalog.CatalogV2Implicits._
import org.apache.spark.sql.sources._
import org.apache.spark.sql.types.StructType

import latebloom.line.Compat.when

/** Translates filters of Spark's data sources from the names of a table's columns to those that its
  * files have. A filter that cannot be translated is left out: nothing is pruned by it.
  *
  * @param logical
  *   the table's columns
  * @param physical
  *   the same columns as files name them
  */
final class RenamedFilters(logical: StructType, physical: StructType) extends Serializable {

  private val names: Map[String, String] = pairs(Nil, Nil, logical, physical).toMap

  /** Fields of structs as well, since Spark pushes filters on them down. */
  private def pairs(
      outer: Seq[String],
      outerInFile: Seq[String],
      columns: StructType,
      inFile: StructType
  ): Seq[(String, String)] =
    columns.fields.toSeq.zip(inFile.fields).flatMap { case (column, renamed) =>
      val path = outer :+ column.name
      val pathInFile = outerInFile :+ renamed.name
      val inner = (column.dataType, renamed.dataType) match {
        case (s: StructType, t: StructType) => pairs(path, pathInFile, s, t)
        case _                              => Nil
      }
      (path.quoted -> pathInFile.quoted) +: inner
    }

  def of(keys: KeysToPush): KeysToPush = new KeysToPush {
    override def now: Option[PushedKeys] = keys.now.flatMap(renamed)
  }

  private def renamed(keys: PushedKeys): Option[PushedKeys] = {
    val bounds = keys.bounds.flatMap(of(_))
    when(bounds.size == keys.bounds.size)(
      keys.copy(bounds, keys.listed.flatMap(of(_)).collect { case in: In => in })
    )
  }

  /** The parts of a conjunction can be left out one by one, those of other filters cannot: they may
    * stand below a negation.
    */
  def of(filter: Filter): Option[Filter] = filter match {
    case And(left, right) => (of(left) ++ of(right)).reduceOption(And)
    case other            => whole(other)
  }

  private def whole(filter: Filter): Option[Filter] = filter match {
    case EqualTo(Renamed(name), value)            => Some(EqualTo(name, value))
    case EqualNullSafe(Renamed(name), value)      => Some(EqualNullSafe(name, value))
    case GreaterThan(Renamed(name), value)        => Some(GreaterThan(name, value))
    case GreaterThanOrEqual(Renamed(name), value) => Some(GreaterThanOrEqual(name, value))
    case LessThan(Renamed(name), value)           => Some(LessThan(name, value))
    case LessThanOrEqual(Renamed(name), value)    => Some(LessThanOrEqual(name, value))
    case In(Renamed(name), values)                => Some(In(name, values))
    case IsNull(Renamed(name))                    => Some(IsNull(name))
    case IsNotNull(Renamed(name))                 => Some(IsNotNull(name))
    case StringStartsWith(Renamed(name), value)   => Some(StringStartsWith(name, value))
    case StringEndsWith(Renamed(name), value)     => Some(StringEndsWith(name, value))
    case StringContains(Renamed(name), value)     => Some(StringContains(name, value))
    case Not(child)                               => whole(child).map(Not(_))
    case And(left, right) => for (l <- whole(left); r <- whole(right)) yield And(l, r)
    case Or(left, right)  => for (l <- whole(left); r <- whole(right)) yield Or(l, r)
    case _                => None
  }

  private object Renamed extends Serializable {
    def unapply(name: String): Option[String] = names.get(name)
  }
}
