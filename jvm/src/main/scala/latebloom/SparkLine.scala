// SPDX-License-Identifier: Apache-2.0
package latebloom

import java.util.concurrent.atomic.AtomicBoolean

import org.slf4j.LoggerFactory

/** The line of Spark that this jar is for. Within a line Spark keeps what its extensions call; from
  * one to the next it does not, and a call that is no more there fails each query that comes by it.
  *
  * Loaded wherever the jar is, on Scala 2.12 as well: so this file, and what asks it, uses nothing
  * of Scala's library but `Function1`, and of Spark what all lines have.
  */
private[latebloom] object SparkLine {

  /** As in "4.1". Python asks for it. */
  val line: String = "4.1"

  private val told = new AtomicBoolean

  def isSupported(spark: String): Boolean = spark == line || spark.startsWith(line + ".")

  /** Why nothing is done in a Spark that is not supported. */
  def refusal(spark: String): String =
    "LateBloom needs Spark " + line + " and this is " + spark + ": it adds nothing to the session, " +
      "and queries run as without it. Use Spark " + line + ", or take " +
      "latebloom.LateBloomExtensions out of spark.sql.extensions."

  /** Logs the refusal, once in this process. */
  def refuse(spark: String): Unit =
    if (told.compareAndSet(false, true)) {
      LoggerFactory.getLogger("latebloom.LateBloomExtensions").warn(refusal(spark))
    }
}
