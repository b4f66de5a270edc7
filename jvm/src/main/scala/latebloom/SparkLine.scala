// SPDX-License-Identifier: Apache-2.0
package latebloom

import java.util.concurrent.atomic.AtomicBoolean

import org.slf4j.LoggerFactory

/** The line of Spark that this jar supports. Spark keeps internal interfaces stable within a line
  * but not between lines, and a call to a removed method fails every query that reaches it.
  *
  * Every Spark with the jar loads this file, on Scala 2.12 as well, so it and its callers use only
  * `Function1` of Scala's library, and only what all lines have of Spark.
  */
private[latebloom] object SparkLine {
  private val line = "4.1"
  private val told = new AtomicBoolean

  def isSupported(spark: String): Boolean = spark == line || spark.startsWith(line + ".")

  /** Why LateBloom does nothing in an unsupported Spark. */
  def refusal(spark: String): String =
    "LateBloom needs Spark " + line + " and this is " + spark + ": it adds nothing to the session, " +
      "and queries run as without it. Use Spark " + line + ", or take " +
      "latebloom.LateBloomExtensions out of spark.sql.extensions."

  /** Logs the refusal, once per process. */
  def refuse(spark: String): Unit =
    if (told.compareAndSet(false, true)) {
      LoggerFactory.getLogger("latebloom.LateBloomExtensions").warn(refusal(spark))
    }
}
