// SPDX-License-Identifier: Apache-2.0
package latebloom.tables

import org.apache.spark.sql.catalyst.plans.logical.{
  DeleteFromTable,
  LogicalPlan,
  MergeIntoTable,
  UpdateTable
}

/** The tables that a command changes as they are, without a query that reads them. Spark plans such
  * a command, or says why it cannot, by what its child is: a table of DataSource V2.
  */
private[tables] object Targets {

  /** Whether a relation of the plan is there to be read. */
  def reads(plan: LogicalPlan): LogicalPlan => Boolean = {
    lazy val changed = plan.collect {
      case delete: DeleteFromTable => delete.table
      case update: UpdateTable     => update.table
      case merge: MergeIntoTable   => merge.targetTable
    }
    relation => !changed.exists(_.exists(_ eq relation))
  }
}
