// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import latebloom.decision.ShortSql
import latebloom.line.Compat.when
import latebloom.read.predicate.{ColumnPredicate, KeptEntries}

/** Lists and maps of which a plan asks for some entries only, by literal keys or positions: the
  * others need not be read.
  *
  * A position that the list has not may be an error that tells the list's length; then it is
  * shorter than what is read of it, and that is all of it.
  */
private[latebloom] object Lookups {

  /** The lookups that are all that `uses` ask of their column, of columns that they ask for.
    *
    * @param columns
    *   what may be read in part
    */
  def of(uses: Seq[Expression], columns: Seq[Attribute]): Seq[Expression] = {
    // Few of many columns have entries, and each use is looked at once for all of them.
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

  /** How often a column is asked for, and what of it in lookups. */
  private class Uses {
    var asked = 0
    val lookups = ArrayBuffer.empty[Expression]

    def whole: Seq[Expression] = if (asked == lookups.size) distinct(lookups.toSeq) else Nil
  }

  private def distinct(lookups: Seq[Expression]): Seq[Expression] =
    lookups.groupBy(_.canonicalized).values.map(_.head).toSeq.sortBy(ShortSql(_))

  /** What the readers keep for `lookups`.
    *
    * @param columns
    *   those that are read, in order
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

  /** Floating-point keys are left out: which of them are equal is not for their bits to say. */
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
