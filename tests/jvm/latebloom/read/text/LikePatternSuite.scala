// SPDX-License-Identifier: Apache-2.0
package latebloom.read.text

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.{Random, Try}

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.expressions.{Like, Literal}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import latebloom.read.RandomBytes

/** Compares patterns with Spark's own LIKE. */
class LikePatternSuite extends AnyFunSuite with RandomBytes {

  private def spark(value: Array[Byte], pattern: String, escape: Char): Boolean =
    Like(Literal(UTF8String.fromBytes(value), StringType), Literal(pattern), escape).eval()
      .asInstanceOf[Boolean]

  private def ours(value: String, pattern: String): Boolean = {
    val bytes = value.getBytes(UTF_8)
    LikePattern.compile(pattern, '\\').get.matches(bytes, 0, bytes.length)
  }

  private def randomPattern(random: Random, escape: Char): String = {
    val characters = random.oneOf(
      Seq("a", "b", "c", "%", "%", "_", "\n", "é", "€", "😀", "\u0301", "\u0000"),
      Seq("a", "b", "%"),
      Seq("a", "b", "%", "_"),
      Seq("a", "\uFFFD", "%", "_"),
      Seq("a", "é", "%", s"$escape%", s"${escape}_", s"$escape$escape")
    )
    randomText(random, random.oneOf(1, 3, 6, 12), characters)
  }

  test("a pattern matches what Spark's LIKE matches") {
    forSeeds(600) { random =>
      val escape = random.oneOf('\\', '\\', '/', '%', '_', 'a', 'é')
      val pattern = randomPattern(random, escape)
      val compiled = LikePattern.compile(pattern, escape)
      val valid = Try(spark(Array(), pattern, escape)).isSuccess
      assert(compiled.isPresent == valid, s"'$pattern' with escape '$escape'")
      compiled.ifPresent { like =>
        val packed = Packed(Seq.fill(40)(randomBytes(random, random.oneOf(2, 6, 15, 40))), random)
        val passed = packed.filtered(BytesPredicate.like(like)).toSet
        packed.values.zipWithIndex.foreach { case (value, i) =>
          assert(passed(i) == spark(value, pattern, escape), s"for ${hex(value)} $like")
        }
      }
    }
  }

  test("values from which a pattern was made match it") {
    forSeeds(500) { random =>
      val value = randomText(random, 30)
      val pattern = value.codePoints().toArray.map { c =>
        val text = Character.toString(c)
        random.nextInt(4) match {
          case 0 => "%"
          case 1 => "_"
          case _ => if (Set("%", "_", "\\")(text)) "\\" + text else text
        }
      }.mkString
      assert(spark(value.getBytes(UTF_8), pattern, '\\'))
      assert(ours(value, pattern), s"'$value' LIKE '$pattern'")
    }
  }

  test("long segments are found anywhere in long values") {
    forSeeds(300) { random =>
      val filler = randomText(random, 300, Seq("x", "y", "needl", "eneedl"))
      val at = random.nextInt(filler.length + 1)
      val needle = "needle-in-a-haystack".take(1 + random.nextInt(20))
      val value = filler.take(at) + needle + filler.drop(at)
      assert(ours(value, s"%$needle%") && ours(value, s"${filler.take(at)}%$needle%"))
      assert(ours(filler, s"%$needle%") == filler.contains(needle))
      assert(ours(value, s"%$needle") == value.endsWith(needle))
    }
  }

  test("one underscore is one character, however many bytes it has") {
    assert(ours("a😀b", "a_b") && !ours("a😀b", "a__b") && ours("é\n", "__"))
    assert(!ours("", "_") && ours("", "%") && ours("", "") && !ours("a", ""))
    assert(ours("ab", "%_%_%") && !ours("é", "%_%_%"))
  }

  test("malformed bytes count as many characters as decoding replaces them by") {
    val truncated = "😀".getBytes(UTF_8).take(3) :+ 'a'.toByte
    val surrogate = Array(0xed, 0xa0, 0x80).map(_.toByte)
    for {
      value <- Seq(truncated, surrogate, truncated ++ surrogate)
      pattern <- Seq("_", "__", "_a", "\uFFFDa", "%\uFFFD%", "___", "%a\uFFFD", "%a")
    } assert(
      LikePattern.compile(pattern, '\\').get.matches(value, 0, value.length) ==
        spark(value, pattern, '\\'),
      s"${hex(value)} LIKE '$pattern'"
    )
  }

  test("an escape before an ordinary character or at the end is left to Spark's error") {
    for (pattern <- Seq("a\\", "\\a%", "%\\")) {
      assert(!LikePattern.compile(pattern, '\\').isPresent)
      intercept[Exception](spark(Array(), pattern, '\\'))
    }
    assert(LikePattern.compile("it's %", '/').get.toString == "LIKE 'it''s %' ESCAPE '/'")
  }
}
