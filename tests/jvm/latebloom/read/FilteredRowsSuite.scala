// SPDX-License-Identifier: Apache-2.0
package latebloom.read

import java.io.Closeable

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

import latebloom.read.predicate.RowPredicate

/** Filters files that only Spark's reader can read value by value. */
class FilteredRowsSuite extends AnyFunSuite {
  private val columns = StructType(
    Seq(
      StructField("s", StringType),
      StructField("a", ArrayType(IntegerType)),
      StructField("i", IntegerType)
    )
  )

  private val predicate: RowPredicate =
    () => row => !row.isNullAt(2) && row.getInt(2) >= 3 && row.getInt(2) <= 8

  private def spec(batchRows: Int) =
    ScanSpecs.withoutFilters("scan", columns, 2, batchRows, predicate)

  private def row(i: Int): InternalRow = new GenericInternalRow(Array[Any](
    if (i % 4 == 0) null else UTF8String.fromString("s" + i),
    new org.apache.spark.sql.catalyst.util.GenericArrayData(Array[Any](i, i + 1)),
    if (i == 5) null else i
  ))

  private class Source(n: Int) extends java.util.Iterator[Any] with Closeable {
    private var i = 0
    var closed = false
    override def hasNext: Boolean = i < n
    override def next(): Any = { i += 1; row(i - 1) }
    override def close(): Unit = closed = true
  }

  test("rows that pass come out dense, in order, without the filter-only column") {
    for (batchRows <- Seq(1, 2, 4096)) {
      val source = new Source(100)
      val rows = new FilteredRows(source, spec(batchRows), Array.empty[ColumnVector], false)
      val found = Iterator.continually(rows.next()).takeWhile(_ != null).flatMap { batch =>
        assert(batch.numCols == 2 && batch.numRows > 0 && batch.numRows <= batchRows)
        batch.rowIterator().asScala
          .map(r => (Option(r.getUTF8String(0)).map(_.toString), r.getArray(1).toIntArray().toSeq))
          .toList
      }.toList
      assert(found == Seq(3, 4, 6, 7, 8).map { i =>
        (if (i % 4 == 0) None else Some("s" + i), Seq(i, i + 1))
      })
      rows.close()
      assert(source.closed)
    }
  }
}
