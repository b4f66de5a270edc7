// SPDX-License-Identifier: Apache-2.0
package latebloom.decision

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan

/** The decision about one scan. The scan's node carries it; EXPLAIN and Python read it there. */
sealed trait Decision {

  /** The conjuncts that stay in Spark's Filter, in order. */
  def residual: Seq[Residual]
}

/** The scan became a LateScan. */
final case class Applied(residual: Seq[Residual]) extends Decision

/** The scan stays Spark's. */
final case class Declined(why: Reason, residual: Seq[Residual] = Nil) extends Decision

/** A conjunct that the scan does not evaluate. */
final case class Residual(conjunct: Expression, why: Reason)

/** The reason to leave a scan, a conjunct or a join to Spark.
  *
  * @param code
  *   stable, for programs and for searching
  * @param args
  *   the objects of the reason, by name
  * @param reason
  *   a sentence
  * @param fix
  *   the setting or change that would help
  */
final case class Reason(code: String, args: Map[String, String], reason: String, fix: String)

object Decision {
  private val tag = TreeNodeTag[Decision]("latebloom.decision")

  def of(node: SparkPlan): Option[Decision] = node.getTagValue(tag)

  def record(node: SparkPlan, decision: Decision): Unit = node.setTagValue(tag, decision)
}
