// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.columnar.InMemoryRelation

/** What Spark caches. */
private[latebloom] object CachedRows {

  /** The plan whose rows Spark caches, as it was before it was optimised. */
  def planOf(cached: InMemoryRelation): Option[LogicalPlan] = Some(cached.cacheBuilder.logicalPlan)
}
