// SPDX-License-Identifier: Apache-2.0
package latebloom.toprows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodegenContext,
  ExprCode,
  FalseLiteral,
  TrueLiteral
}
import org.apache.spark.sql.types.{DataType, LongType, StringType}

import latebloom.compile.CannotFail
import latebloom.decision.ShortSql

/** A condition on the rows of a scan that the answer does not need: it is TRUE wherever anything
  * but a scan of ours evaluates it. Any plan may omit it.
  */
sealed private[latebloom] trait TopRowsCondition extends Expression with Predicate with CannotFail {

  /** Its text in EXPLAIN. */
  def text: String

  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = true

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode =
    code.copy(code = code"", isNull = FalseLiteral, value = TrueLiteral)
}

/** Says that the rows of a scan are searched for the first of an order; leaves out rows after the
  * worst of the first that the search has found so far.
  *
  * @param column
  *   a column of the scan, which places the condition in the plan
  * @param order
  *   the order of that column, if it is what the order begins with; else no row is left out
  */
final private[latebloom] case class WithinBound(column: Expression, order: Option[TopOrder])
    extends UnaryExpression
    with TopRowsCondition {

  override def child: Expression = column

  override def text: String = order.fold("searched whole") { o =>
    s"searched by ${ShortSql(column)} ${o.direction.sql} ${o.nulls.sql}"
  }

  override def eval(input: InternalRow): Any = true

  override protected def withNewChildInternal(newChild: Expression): WithinBound =
    copy(column = newChild)
}

/** Leaves out all rows but those that a search has found: the first rows of an order.
  *
  * @param column
  *   a column of the scan, which places the condition in the plan
  * @param rows
  *   a scalar subquery that returns serialised [[RowsOfFiles]], or null if any row may be needed
  */
final private[latebloom] case class AmongTopRows(column: Expression, rows: Expression, wanted: Int)
    extends BinaryExpression
    with TopRowsCondition {

  override def left: Expression = column

  override def right: Expression = rows

  override def text: String = s"the first $wanted rows"

  override def eval(input: InternalRow): Any = true

  override protected def withNewChildrenInternal(l: Expression, r: Expression): AmongTopRows =
    copy(column = l, rows = r)
}

/** Where a row is stored. A scan of ours computes it; where Spark reads the files, it is null. */
sealed private[latebloom] trait RowPlace extends LeafExpression with Unevaluable with CannotFail {
  override def nullable: Boolean = true
}

private[latebloom] object RowPlace {

  /** The file, as Spark's column `_metadata.file_path` has it. */
  case object File extends RowPlace {
    override def dataType: DataType = StringType
  }

  /** The number of the row in its file, from 0. */
  case object Number extends RowPlace {
    override def dataType: DataType = LongType
  }

  /** The first byte of the split that the row was read from. */
  case object SplitStart extends RowPlace {
    override def dataType: DataType = LongType
  }

  /** The bytes of that split. */
  case object SplitLength extends RowPlace {
    override def dataType: DataType = LongType
  }

  /** All that is known of a place, in the order of the columns that a search asks for. */
  val All: Seq[RowPlace] = Seq(File, Number, SplitStart, SplitLength)
}
