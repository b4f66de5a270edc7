// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import latebloom.decision.ShortSql
import latebloom.line.Compat.when
import latebloom.read.predicate.{ColumnPredicate, KeptEntries}

/** Finds lists and maps of which a plan uses only some entries, by literal keys or positions, so
  * that the scan need not read the others.
  *
  * A position beyond the list may be an error whose message has the list's length: such a list is
  * shorter than the entries to read, so the scan reads all of it.
  */
private[latebloom] object Lookups {

  /** The lookups of those columns that `uses` read by lookups only.
    *
    * @param columns
    *   that the scan can read in part
    */
  def of(uses: Seq[Expression], columns: Seq[Attribute]): Seq[Expression] = {
    // Few of many columns have entries; one pass over each use serves them all.
    val found = columns.collect {
      case c if hasEntries(c.dataType) => c.exprId -> new Uses
    }.toMap
    if (found.nonEmpty) uses.foreach(_.foreach {
      case a: AttributeReference => found.get(a.exprId).foreach(_.asked += 1)
      case e @ Lookup(a, _)      => found.get(a.exprId).foreach(_.lookups += e)
      case _                     =>
    })
    columns.flatMap(c => found.get(c.exprId)).flatMap(_.whole)
  }

  private def hasEntries(dataType: DataType): Boolean = dataType match {
    case _: ArrayType | _: MapType => true
    case _                         => false
  }

  /** Counts a column's uses, and its lookups among them. */
  private class Uses {
    var asked = 0
    val lookups = ArrayBuffer.empty[Expression]

    def whole: Seq[Expression] = if (asked == lookups.size) distinct(lookups.toSeq) else Nil
  }

  private def distinct(lookups: Seq[Expression]): Seq[Expression] =
    lookups.groupBy(_.canonicalized).values.map(_.head).toSeq.sortBy(ShortSql(_))

  /** The entries that the readers keep for `lookups`.
    *
    * @param columns
    *   that the scan reads, in order
    */
  def kept(lookups: Seq[Expression], columns: Seq[Attribute]): Seq[KeptEntries] = {
    val byColumn =
      lookups.collect { case Lookup(a, entry) => a.exprId -> entry }.groupBy(_._1)
        .map { case (column, asked) => column -> asked.map(_._2) }
    columns.zipWithIndex.flatMap { case (column, i) =>
      val entries = byColumn.getOrElse(column.exprId, Nil)
      val keys = entries.collect { case Key(predicate) => predicate }
      val counts = entries.collect { case Position(index) => index + 1 }
      val byKeys: Option[KeptEntries] =
        keys.reduceOption(_ or _).map(new KeptEntries.WithKeys(i, _))
      byKeys.orElse(counts.reduceOption(_ max _).map(new KeptEntries.First(i, _)))
    }
  }

  sealed private trait Entry
  final private case class Key(passes: ColumnPredicate) extends Entry
  final private case class Position(index: Int) extends Entry

  private object Lookup {
    def unapply(e: Expression): Option[(AttributeReference, Entry)] = e match {
      case GetMapValue(a: AttributeReference, key: Literal)       => of(a, ofKey(a, key))
      case GetArrayItem(a: AttributeReference, index: Literal, _) => of(a, ofIndex(index, 0))
      case ElementAt(a: AttributeReference, entry: Literal, _, _) =>
        of(a, if (a.dataType.isInstanceOf[MapType]) ofKey(a, entry) else ofIndex(entry, 1))
      case _ => None
    }

    private def of(a: AttributeReference, entry: Option[Entry]) = entry.map((a, _))
  }

  /** Excludes floating-point keys: their bits do not decide which of them are equal. */
  private def ofKey(map: Attribute, key: Literal): Option[Key] = map.dataType match {
    case MapType(FloatType | DoubleType, _, _)       => None
    case MapType(keyType, _, _) if key.value != null =>
      val column = AttributeReference("key", keyType, nullable = false)()
      ColumnPredicates.compile(EqualTo(column, key), column).map(Key)
    case _ => None
  }

  private def ofIndex(index: Literal, first: Int): Option[Position] = index.value match {
    case v @ (_: Byte | _: Short | _: Int | _: Long) =>
      val position = v.asInstanceOf[Number].longValue - first
      when(position >= 0 && position < Int.MaxValue)(Position(position.toInt))
    case _ => None
  }
}
