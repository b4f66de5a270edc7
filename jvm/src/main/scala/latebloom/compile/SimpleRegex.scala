// SPDX-License-Identifier: Apache-2.0
package latebloom.compile

import java.nio.charset.StandardCharsets.US_ASCII

import latebloom.line.Compat.when
import latebloom.read.text.BytesPredicate

/** Compiles regular expressions that only search for fixed text, anywhere or at the start, since
  * RLIKE then equals a search in the bytes. Leaves all others to Java, `$` among them, which also
  * matches before a line end.
  */
private[compile] object SimpleRegex {
  private val meta = "\\^$.|?*+()[]{}"
  private val group = """(\^?)\((?:\?:)?([^()]*)\)""".r

  /** The strings in which RLIKE finds `pattern`. */
  def compile(pattern: String): Option[BytesPredicate] = {
    val alternatives = pattern match {
      case group(anchor, inner) => inner.split("\\|", -1).toSeq.map(anchor + _)
      case _                    => pattern.split("\\|", -1).toSeq
    }
    val tests = alternatives.map(one)
    when(tests.forall(_.isDefined))(tests.flatten.reduce(_ or _))
  }

  private def one(alternative: String): Option[BytesPredicate] =
    if (alternative.startsWith("^")) {
      literal(alternative.tail.stripSuffix(".*")).map(BytesPredicate.startsWith)
    } else {
      literal(alternative.stripPrefix(".*").stripSuffix(".*")).map(BytesPredicate.contains)
    }

  /** The bytes of a pattern in which every character is literal or escaped to be so. */
  private def literal(text: String): Option[Array[Byte]] = {
    val bytes = new StringBuilder
    val rest = text.iterator
    var plain = true
    while (plain && rest.hasNext) {
      rest.next() match {
        case '\\' =>
          val escaped = when(rest.hasNext)(rest.next())
          plain = escaped.exists(meta.indexOf(_) >= 0)
          bytes ++= escaped
        case c =>
          plain = c >= ' ' && c < 127 && meta.indexOf(c) < 0
          bytes += c
      }
    }
    when(plain)(bytes.toString.getBytes(US_ASCII))
  }
}
