// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import java.util.{Optional, OptionalLong}

/** What Scala 2.13 has and Scala 2.12 has not, or elsewhere. */
object Compat extends JavaCollections {

  /** `Option.when`. */
  def when[A](condition: Boolean)(value: => A): Option[A] = if (condition) Some(value) else None

  implicit final class JavaOptional[A](private val optional: Optional[A]) extends AnyVal {
    def toScala: Option[A] = when(optional.isPresent)(optional.get)
  }

  implicit final class JavaOptionalLong(private val optional: OptionalLong) extends AnyVal {
    def toScala: Option[Long] = when(optional.isPresent)(optional.getAsLong)
  }
}
