// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.spark.sql.catalyst.plans.logical.{DeleteFromTable, LogicalPlan}

/** The tables that a command changes as they are, without a query that reads them. Spark plans such
  * a command by what its child is, and knows it as a table of DataSource V2 only.
  */
private[tables] object Targets {

  /** Whether a relation of the plan is there to be read. */
  def reads(plan: LogicalPlan): LogicalPlan => Boolean = {
    val changed = plan.collect { case command: DeleteFromTable => command.table }
    relation => !changed.exists(_.exists(_ eq relation))
  }
}
