// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import scala.collection.convert.{DecorateAsJava, DecorateAsScala}

/** `asJava` and `asScala`, which Scala 2.12 and 2.13 have under different names. */
trait JavaCollections extends DecorateAsJava with DecorateAsScala
