// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import org.apache.spark.sql.catalyst.expressions.{Expression, Unevaluable}
import org.apache.spark.sql.types.DataType

/** The range in which a row of one side of a join lets values of the other side lie: both bounds
  * belong to it.
  *
  * @param least
  *   its lower bound, at most one
  * @param greatest
  *   its upper bound, likewise; there is one of the two
  */
final private[latebloom] case class KeyRange(least: Seq[Expression], greatest: Seq[Expression])
    extends Expression
    with Unevaluable
    with CannotFail {

  override def children: Seq[Expression] = least ++ greatest

  override def nullable: Boolean = true

  /** The type of the bounds. */
  override def dataType: DataType = children.head.dataType

  override def toString: String = s"${least.mkString}..${greatest.mkString}"

  override def sql: String = s"${least.map(_.sql).mkString}..${greatest.map(_.sql).mkString}"

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): KeyRange = {
    val (l, g) = newChildren.splitAt(least.size)
    KeyRange(l, g)
  }
}
