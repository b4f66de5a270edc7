// SPDX-License-Identifier: Apache-2.0
package latebloom.read

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.types._

import latebloom.read.predicate.{ColumnPredicate, PredicateCursor}
import latebloom.read.selection.{LiveRows, Selection}
import latebloom.read.task.{Counter, Counters, ScanMemory}
import latebloom.read.vector.OutputColumn

class SelectiveScanSuite extends AnyFunSuite {
  private val rowCount = 100000
  private val columnCount = 4
  private val schema = StructType((0 until columnCount).map(c => StructField(s"c$c", LongType)))
  private val batchRows = 64
  // Of each column a short window is 8 KiB.
  private val shortWindow = 16 * batchRows

  /** A row group of eight bytes a value in a store where a request is worth so many bytes. */
  private class Group(worth: Long, pruned: Selection = Selection.all(rowCount)) extends RowGroup {

    /** The number of wanted rows of each fetch. */
    val fetched = ArrayBuffer.empty[Int]

    override def rows: Int = rowCount
    override def firstRow: Long = 0
    override def prune(): Selection = pruned
    override def allPass(column: Int, predicate: ColumnPredicate): Boolean = false
    override def bytes(column: Int): Long = 8L * rowCount
    override def roundTripBytes: Long = worth
    override def fetch(needs: java.util.List[RowGroup.Need]): Unit =
      fetched ++= needs.asScala.map(_.rows.count).distinct
    override def heldType(column: Int): DataType = LongType
    override def release(): Unit = ()

    override def cursor(column: Int, use: Int, rows: Selection): ColumnCursor =
      new ColumnCursor {
        override def filter(rows: Selection, predicate: PredicateCursor): Selection = rows
        override def select(rows: Array[Int], n: Int, out: OutputColumn): Unit = ()
      }
  }

  private class Groups(group: RowGroup, counters: Counters) extends RowGroups {
    private val left = Iterator(group)
    override val memory = new ScanMemory(counters)
    override def next(): RowGroup = if (left.hasNext) left.next() else null
    override def prefetch(prunes: Boolean, first: RowGroups.FirstFetch): Unit = ()
    override def close(): Unit = memory.close()
  }

  /** The number of rows of a scan's first fetch. */
  private def firstFetch(worth: Long): Int = scanned(worth)._1.fetched.head

  /** The row group that a scan has read, and its counters. */
  private def scanned(worth: Long, eager: Double = 0.5): (Group, Counters) = {
    val group = new Group(worth)
    val counters = new Counters
    val name = s"windows $worth $eager"
    val spec = ScanSpecs.withoutFilters(name, schema, columnCount, batchRows, eager = eager)
    val groups = new Groups(group, counters)
    val scan = new SelectiveScan(groups, LiveRows.ALL, spec, schema, Array.empty, false, counters)
    try {
      val rows = Iterator.continually(scan.next()).takeWhile(_ != null).map(_.numRows).sum
      assert(rows == rowCount)
    } finally scan.close()
    (group, counters)
  }

  test("a file's first window is short if its bytes are worth a request for each column") {
    assert(firstFetch(0) == shortWindow)
    assert(firstFetch(8L * shortWindow - 100) == shortWindow)
    assert(firstFetch(8L * shortWindow + 100) == rowCount)
  }

  test("a row group that is read eagerly has the reason") {
    def visits(worth: Long, eager: Double) = {
      val (_, counters) = scanned(worth, eager)
      Seq(Counter.ROW_GROUPS_LATE, Counter.ROW_GROUPS_EAGER, Counter.ROW_GROUPS_ONE_VISIT)
        .map(counters.get)
    }
    // The scan knows nothing yet, and so expects that no row passes.
    assert(visits(1, 0.5) == Seq(1, 0, 0))
    assert(visits(2, 0) == Seq(0, 1, 0))
    // So many bytes could arrive while a request waits that the whole row group does.
    assert(visits(8L * rowCount * columnCount, 0.5) == Seq(0, 1, 1))
  }

  test("a deleted row that statistics rule out as well is counted once") {
    val half = rowCount / 2
    val last = Selection.ofRuns(rowCount, Array(half), Array(rowCount))
    val counters = new Counters
    val spec = ScanSpecs.withoutFilters("deleted rows", schema, columnCount, batchRows)
    val deleted = LiveRows.without(Array(1L, 2L, rowCount - 1L))
    val groups = new Groups(new Group(0, last), counters)
    val scan = new SelectiveScan(groups, deleted, spec, schema, Array.empty, false, counters)
    try {
      val rows = Iterator.continually(scan.next()).takeWhile(_ != null).map(_.numRows).sum
      assert(rows == half - 1)
      assert(counters.get(Counter.ROWS_DELETED) == 3)
      assert(counters.get(Counter.ROWS_PRUNED) == half - 2)
    } finally scan.close()
  }

  test("a window's values are skipped in each column that none decodes") {
    val (_, counters) = scanned(0)
    // The columns of this row group decode nothing.
    assert(counters.get(Counter.VALUES_SKIPPED) == rowCount * columnCount)
    assert(counters.columns.take().toSeq == Seq.fill(columnCount)(Seq(0, 0, rowCount)).flatten)
  }
}
