// SPDX-License-Identifier: Apache-2.0
package latebloom.joinkeys

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.execution.joinkeys.{BroadcastKeysExec, ShuffledSideExec}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

import latebloom.bloom.KeyLimits

/** One side of a shuffled join, planned so that its exchange is the join's own.
  *
  * @param keys
  *   all keys of the join, in its order
  */
final case class ShuffledSide(keys: Seq[Expression], child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): ShuffledSide =
    copy(child = newChild)
}

/** The build side of a broadcast join, planned so that the broadcast is the join's own. Returns one
  * row, with the [[latebloom.bloom.KeyFilter]] of `wanted` over the rows of `child`.
  *
  * @param keys
  *   all keys of the join, in its order; none for a nested loop join
  * @param hashed
  *   whether `wanted` is a hash of several columns
  */
final case class BroadcastKeys(
    keys: Seq[Expression],
    wanted: Expression,
    hashed: Boolean,
    limits: KeyLimits,
    child: LogicalPlan,
    override val output: Seq[Attribute]
) extends UnaryNode {
  override def producedAttributes: AttributeSet = AttributeSet(output)

  override protected def withNewChildInternal(newChild: LogicalPlan): BroadcastKeys =
    copy(child = newChild)
}

/** An aggregate that gathers the keys of one source. Spark merges scalar subqueries that aggregate
  * the same rows into one of a struct, but none of another kind of node.
  */
final case class OneGathering(child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): OneGathering =
    copy(child = newChild)
}

object JoinKeysPlanning extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case OneGathering(child)       => planLater(child) :: Nil
    case ShuffledSide(keys, child) => ShuffledSideExec(keys, planLater(child)) :: Nil
    case BroadcastKeys(keys, wanted, hashed, limits, child, output) =>
      BroadcastKeysExec(keys, wanted, hashed, limits, planLater(child), output) :: Nil
    case _ => Nil
  }
}
