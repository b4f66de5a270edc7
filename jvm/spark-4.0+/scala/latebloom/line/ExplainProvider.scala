// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.ExtendedExplainGenerator

/** Adds text to a plan. Spark calls it in EXPLAIN if the session's confs name it. */
trait ExplainProvider extends ExtendedExplainGenerator
