// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, XxHash64}
import org.apache.spark.sql.types.DataType

import latebloom.bloom._
import latebloom.line.Compat._

/** What to gather of the rows of a creation side.
  *
  * @param values
  *   what [[add]] needs of a row
  */
sealed abstract class WantedKeys(val values: Seq[Expression]) {

  def gathering(limits: KeyLimits): KeyGathering

  /** Adds the keys of a row of [[values]]. */
  def add(keys: KeyGathering, row: InternalRow): Unit

  /** The filter of the keys in rows of [[values]]; None if there are too many. */
  final def collect(rows: Iterator[InternalRow], limits: KeyLimits): Option[KeyFilter] = {
    val keys = gathering(limits)
    while (rows.hasNext && !keys.overflowed) {
      add(keys, rows.next())
    }
    keys.finish().toScala
  }
}

object WantedKeys {

  /** @param key
    *   of a type that has a domain, or a [[KeyRange]]
    * @param hashed
    *   whether it is a hash of several columns
    */
  def apply(key: Expression, hashed: Boolean): WantedKeys = key match {
    case XxHash64(columns, seed) if hashed => new Compound(columns, seed)
    case hash if hashed                    => new Hash(hash)
    case range: KeyRange                   => new Range(range)
    case other                             => new Single(other)
  }

  /** Whether there are such filters. */
  def areKeys(key: Expression, hashed: Boolean): Boolean = key match {
    case range: KeyRange => JoinKeys.domain(range.dataType).contains(KeyDomain.LONGS)
    case other           => JoinKeys.domain(other.dataType, hashed).isDefined
  }

  final private class Single(key: Expression) extends WantedKeys(Seq(key)) {
    private val dataType = key.dataType
    private val add = JoinKeys.adder(dataType)

    override def gathering(limits: KeyLimits): KeyGathering =
      new KeyCollector(JoinKeys.domain(dataType).get, limits)

    override def add(keys: KeyGathering, row: InternalRow): Unit =
      if (!row.isNullAt(0)) add(keys.asInstanceOf[KeyCollector], row.get(0, dataType))
  }

  final private class Hash(key: Expression) extends WantedKeys(Seq(key)) {
    override def gathering(limits: KeyLimits): KeyGathering =
      new KeyCollector(KeyDomain.HASHES, limits)

    override def add(keys: KeyGathering, row: InternalRow): Unit =
      if (!row.isNullAt(0)) keys.asInstanceOf[KeyCollector].addHash(row.getLong(0))
  }

  /** A row with a null in one of the columns joins with nothing. */
  final private class Compound(columns: Seq[Expression], seed: Long) extends WantedKeys(columns) {
    private val types = columns.map(_.dataType).toArray
    private val domains = types.map(JoinKeys.domain(_).orNull)
    private val adders =
      types.map(t => JoinKeys.domain(t).map(_ => JoinKeys.adder(t)).orNull)
    private val hash = XxHash64(
      types.zipWithIndex.toSeq.map { case (t, i) => BoundReference(i, t, nullable = true) },
      seed
    )

    override def gathering(limits: KeyLimits): KeyGathering =
      new CompoundCollector(domains.toSeq.asJava, limits)

    override def add(keys: KeyGathering, row: InternalRow): Unit = if (!row.anyNull) {
      val all = keys.asInstanceOf[CompoundCollector]
      all.whole.addHash(hash.eval(row).asInstanceOf[Long])
      var i = 0
      while (i < types.length) {
        if (adders(i) != null) adders(i)(all.part(i), row.get(i, types(i)))
        i += 1
      }
    }
  }

  final private class Range(range: KeyRange) extends WantedKeys(range.children) {
    private val dataType: DataType = range.dataType
    private val greatest = range.least.size

    override def gathering(limits: KeyLimits): KeyGathering = new RangeCollector

    override def add(keys: KeyGathering, row: InternalRow): Unit = if (!row.anyNull) {
      def bound(i: Int) = JoinKeys.long(dataType, row.get(i, dataType))
      keys.asInstanceOf[RangeCollector].add(
        if (range.least.isEmpty) Long.MinValue else bound(0),
        if (range.greatest.isEmpty) Long.MaxValue else bound(greatest)
      )
    }
  }
}
