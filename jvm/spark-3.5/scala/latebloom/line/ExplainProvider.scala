// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.execution.SparkPlan

/** What adds to the text of a plan. The Spark of this line does not ask: others may. */
trait ExplainProvider {
  def title: String
  def generateExtendedInfo(plan: SparkPlan): String
}
