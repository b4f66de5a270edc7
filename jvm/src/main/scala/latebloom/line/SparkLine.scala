// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import java.util.concurrent.atomic.AtomicBoolean

import org.slf4j.LoggerFactory

/** The line of Spark that this jar supports, and its Scala: the build writes [[BuiltFor]]. Spark
  * keeps internal interfaces stable within a line but not between lines, and a call to a removed
  * method fails every query that reaches it.
  *
  * Every Spark with the jar loads this file, on Scala 2.12 as well, so it and its callers use only
  * `Function1` and the version of Scala's library, and only what all lines have of Spark.
  */
object SparkLine {
  private val told = new AtomicBoolean

  /** @param spark
    *   the version of Spark that runs
    * @param scala
    *   the version of Scala's library that it has
    */
  def isSupported(spark: String, scala: String): Boolean =
    isOf(BuiltFor.spark, spark) && isOf(BuiltFor.scala, scala)

  private def isOf(line: String, version: String) =
    version == line || version.startsWith(line + ".")

  /** Why LateBloom does nothing in an unsupported Spark. */
  def refusal(spark: String, scala: String): String =
    "This jar of LateBloom needs Spark " + BuiltFor.spark + " with Scala " + BuiltFor.scala +
      " and this is Spark " + spark + " with Scala " + scala + ": it adds nothing to the session, " +
      "and queries run as without it. Attach the jar for this Spark, or take " +
      "latebloom.LateBloomExtensions out of spark.sql.extensions."

  /** Logs the refusal, once per process. */
  def refuse(spark: String, scala: String): Unit =
    if (told.compareAndSet(false, true)) {
      LoggerFactory.getLogger("latebloom.LateBloomExtensions").warn(refusal(spark, scala))
    }
}
