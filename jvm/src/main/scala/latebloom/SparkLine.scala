// SPDX-License-Identifier: Apache-2.0
package latebloom

import java.util.concurrent.atomic.AtomicBoolean

import org.slf4j.LoggerFactory

/** The line of Spark that this jar is for, and its Scala: the build writes [[BuiltFor]]. Within a
  * line Spark keeps what its extensions call; from one to the next it does not, and a call that is
  * no more there fails each query that comes by it.
  *
  * Loaded wherever the jar is, on Scala 2.12 as well: so this file, and what asks it, uses nothing
  * of Scala's library but `Function1` and the library's version, and of Spark what all lines have.
  */
private[latebloom] object SparkLine {
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

  /** Why nothing is done in a Spark that is not supported. */
  def refusal(spark: String, scala: String): String =
    "This jar of LateBloom needs Spark " + BuiltFor.spark + " with Scala " + BuiltFor.scala +
      " and this is Spark " + spark + " with Scala " + scala + ": it adds nothing to the session, " +
      "and queries run as without it. Attach the jar for this Spark, or take " +
      "latebloom.LateBloomExtensions out of spark.sql.extensions."

  /** Logs the refusal, once in this process. */
  def refuse(spark: String, scala: String): Unit =
    if (told.compareAndSet(false, true)) {
      LoggerFactory.getLogger("latebloom.LateBloomExtensions").warn(refusal(spark, scala))
    }
}
