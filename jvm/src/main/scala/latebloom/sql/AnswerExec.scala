// SPDX-License-Identifier: Apache-2.0
package latebloom.sql

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan, SparkStrategy}

/** Finds the answer of a table function on the driver. From 4.1 on Spark keeps what a plan that is
  * executed again has found.
  *
  * @param answer
  *   transient, because some nodes of Spark take the plan below them to the executors
  */
final private[latebloom] case class AnswerExec(
    @transient answer: Answer,
    override val output: Seq[Attribute]
) extends LeafExecNode {

  override protected def doExecute(): RDD[InternalRow] = {
    val convert = CatalystTypeConverters.createToCatalystConverter(answer.question.columns)
    val project = UnsafeProjection.create(answer.question.columns)
    val rows = answer.question.answer(session, answer.query).map { row =>
      project(convert(row).asInstanceOf[InternalRow]).copy()
    }
    sparkContext.parallelize[InternalRow](rows, 1)
  }

  override def nodeName: String = answer.nodeName

  override def stringArgs: Iterator[Any] = answer.stringArgs
}

private[latebloom] object AnswerPlanning extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case answer: Answer => AnswerExec(answer, answer.output) :: Nil
    case _              => Nil
  }
}
