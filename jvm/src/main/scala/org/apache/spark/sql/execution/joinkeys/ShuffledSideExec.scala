// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.physical.{
  ClusteredDistribution,
  Distribution,
  Partitioning
}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** One side of a shuffled join without the join: its required distribution makes Spark insert the
  * same exchange, which then runs once.
  */
case class ShuffledSideExec(keys: Seq[Expression], child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def requiredChildDistribution: Seq[Distribution] = ClusteredDistribution(keys) :: Nil

  /** Fails with [[KeysDoNotPay]] if the shuffled rows are known to be nearly all. */
  override protected def doExecute(): RDD[InternalRow] = {
    PassRate.check(child)
    child.execute()
  }

  override protected def withNewChildInternal(newChild: SparkPlan): ShuffledSideExec =
    copy(child = newChild)
}
