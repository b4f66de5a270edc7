// SPDX-License-Identifier: Apache-2.0
package latebloom.read

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.{DataType, StructType}

import latebloom.read.MemoryRowGroup._
import latebloom.read.predicate.{ColumnPredicate, PredicateCursor, ValuePredicate}
import latebloom.read.selection.Selection
import latebloom.read.vector.OutputColumn

/** A row group whose columns are arrays. It remembers what it was asked for, and gives no value
  * that was not fetched.
  *
  * @param proven
  *   whether statistics prove that all of a column passes
  */
class MemoryRowGroup(
    columns: Seq[Column],
    proven: (Int, ColumnPredicate) => Boolean = (_, _) => false,
    roundTrip: Long = 0
) extends RowGroup {

  /** Columns of each fetch. */
  val fetches = ArrayBuffer.empty[Seq[Int]]

  /** Column and rows of each call that looks at values. */
  val looks = ArrayBuffer.empty[(Int, Selection)]

  private val fetched = Array.fill(columns.size)(Selection.none(rows))

  override def rows: Int = columns.head.values.length
  override def firstRow: Long = 0
  override def prune(): Selection = Selection.all(rows)
  override def bytes(column: Int): Long = 8L * rows
  override def roundTripBytes: Long = roundTrip
  override def heldType(column: Int): DataType = columns(column).dataType
  override def release(): Unit = ()

  override def allPass(column: Int, predicate: ColumnPredicate): Boolean =
    proven(column, predicate)

  override def fetch(needs: java.util.List[RowGroup.Need]): Unit = {
    fetches += needs.asScala.map(_.column).toSeq
    needs.forEach { need =>
      val all = union(fetched(need.column), need.rows)
      fetched(need.column) = all
    }
  }

  private def union(a: Selection, b: Selection): Selection =
    a.complement.intersect(b.complement).complement

  override def cursor(column: Int, use: Int, rows: Selection): ColumnCursor =
    new ColumnCursor {
      private val Column(dataType, values) = columns(column)
      private val unsafe =
        UnsafeProjection.create(new StructType().add("value", dataType, nullable = true))

      private def look(rows: Selection): Unit = {
        require(rows.minus(fetched(column)).isNone, s"column $column at $rows was not fetched")
        looks += column -> rows
      }

      override def filter(rows: Selection, predicate: PredicateCursor): Selection = {
        look(rows)
        val test = new ValuePredicate(dataType, predicate)
        val passed = new Selection.Builder(rows.rows)
        positions(rows).filter(r => test.passes(unsafe(InternalRow(values(r))))).foreach(passed.add)
        passed.build()
      }

      override def select(rows: Array[Int], n: Int, out: OutputColumn): Unit = {
        val selected = new Selection.Builder(values.length)
        selected.add(rows, n)
        look(selected.build())
        rows.take(n).foreach { r =>
          new ConstantColumnCursor(values(r), 0, dataType).select(Array(r), 1, out)
        }
      }
    }
}

object MemoryRowGroup {
  final case class Column(dataType: DataType, values: Array[Any])

  def positions(rows: Selection): Seq[Int] = {
    val all = new Array[Int](rows.count)
    rows.positions(0, rows.rows, rows.count, all)
    all.toSeq
  }

  def select(rows: Int, selected: Iterable[Int]): Selection = {
    val builder = new Selection.Builder(rows)
    selected.toSeq.sorted.foreach(builder.add(_))
    builder.build()
  }
}
