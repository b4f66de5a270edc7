// SPDX-License-Identifier: Apache-2.0
package latebloom.inspect

import org.apache.spark.sql.catalyst.expressions.{EqualTo, Literal, ScalarSubquery}
import org.apache.spark.sql.execution.FilterExec

import latebloom.LateBloomTest

class PlanNodesSuite extends LateBloomTest {
  test("a subquery that was never planned hides no node") {
    val child = spark.range(3).queryExecution.sparkPlan
    val subquery = ScalarSubquery(spark.range(1).queryExecution.optimizedPlan)
    val filter = FilterExec(EqualTo(Literal(0L), subquery), child)
    assert(PlanNodes.all(filter) == filter +: PlanNodes.all(child))
  }
}
