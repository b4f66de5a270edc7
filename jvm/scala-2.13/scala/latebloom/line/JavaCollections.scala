// SPDX-License-Identifier: Apache-2.0
package latebloom.line

import scala.collection.convert.{AsJavaExtensions, AsScalaExtensions}

/** `asJava` and `asScala`, which Scala 2.12 and 2.13 have under different names. */
trait JavaCollections extends AsJavaExtensions with AsScalaExtensions
