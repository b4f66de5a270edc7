// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.execution.SparkPlan

/** Adds text to a plan. This line's EXPLAIN calls no provider, but other code may. */
trait ExplainProvider {
  def title: String
  def generateExtendedInfo(plan: SparkPlan): String
}
