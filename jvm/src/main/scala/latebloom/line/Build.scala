// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import java.io.InvalidObjectException
import java.nio.charset.StandardCharsets.UTF_8

/** Which build of LateBloom this JVM runs. Objects that a driver serialises mean something to its
  * own build alone: another one may refuse them for a reason that names a class and no remedy, or
  * take them for something else.
  */
object Build {

  /** The version, the lines of Spark and Scala, and a digest of the sources. */
  val id: String =
    Option(getClass.getResourceAsStream("/latebloom/build.txt")).fold("of an unknown build") { in =>
      try new String(in.readAllBytes(), UTF_8).trim
      finally in.close()
    }

  /** Where this build was loaded from; None of a place that Java does not tell. */
  def jar: Option[String] =
    Option(getClass.getProtectionDomain.getCodeSource).flatMap(s => Option(s.getLocation))
      .map(_.toString)

  /** Refuses what a driver of another build has sent.
    *
    * @param driver
    *   the driver's [[id]]
    * @throws java.io.InvalidObjectException
    *   if it is another one: a class of the JDK, which the driver knows whatever jar it has
    */
  def require(driver: String): Unit = if (driver != id) {
    throw new InvalidObjectException(
      s"the driver runs LateBloom $driver, and this executor LateBloom $id" +
        jar.fold("")(j => s" from $j") + ": give both the same jar. Pass the driver's with " +
        "--jars (spark.jars), and take the other one out of spark.executor.extraClassPath and of " +
        "the jars of the executors' Spark."
    )
  }
}
