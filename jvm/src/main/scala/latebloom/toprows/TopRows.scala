// SPDX-License-Identifier: Apache-2.0
package latebloom.toprows

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

/** Finds where the first rows of an order are stored. Returns one row, with the serialised
  * [[RowsOfFiles]], or null if a row among them has no known place.
  *
  * @param wanted
  *   how many rows
  * @param place
  *   of each row of `child`: columns as in [[RowPlace.All]]
  * @param bound
  *   the first part of the order, if the scan can leave out rows by it
  */
final private[latebloom] case class TopRows(
    wanted: Int,
    order: Seq[SortOrder],
    place: Seq[Attribute],
    bound: Option[TopOrder],
    child: LogicalPlan,
    override val output: Seq[Attribute]
) extends UnaryNode {
  override def producedAttributes: AttributeSet = AttributeSet(output)

  override protected def withNewChildInternal(newChild: LogicalPlan): TopRows =
    copy(child = newChild)
}

object TopRowsPlanning extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case TopRows(wanted, order, place, bound, child, output) =>
      TopRowsExec(wanted, order, place, bound, planLater(child), output) :: Nil
    case _ => Nil
  }
}
