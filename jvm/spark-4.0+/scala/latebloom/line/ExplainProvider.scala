// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import org.apache.spark.sql.ExtendedExplainGenerator

/** What adds to the text of a plan: Spark asks it, where the confs of a session name it. */
trait ExplainProvider extends ExtendedExplainGenerator
