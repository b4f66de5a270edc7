// SPDX-License-Identifier: Apache-2.0
package latebloom

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

import latebloom.rules.LateScans

/** What `spark.sql.extensions` names: all that LateBloom adds to a session. */
class LateBloomExtensions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    // With adaptive execution, so that a plan shows its scans before it runs.
    extensions.injectQueryStagePrepRule(_ => LateScans)
    // Without adaptive execution.
    extensions.injectColumnar(_ =>
      new ColumnarRule {
        override def preColumnarTransitions: Rule[SparkPlan] = LateScans
      }
    )
  }
}
