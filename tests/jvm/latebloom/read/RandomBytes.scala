// SPDX-License-Identifier: Apache-2.0
package latebloom.read

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import latebloom.read.text.BytesPredicate

/** Short, similar strings full of error-prone characters. */
trait RandomBytes extends RandomCases {
  private val characters = Seq(
    "a",
    "b",
    "a",
    "b",
    "c",
    "\n",
    "\u0000",
    "%",
    "_",
    "\\",
    "é",
    "€",
    "\uFFFD",
    "😀",
    "𝄞",
    "\u0301",
    "\u2028"
  )

  private val malformed = Seq(
    Seq(0xff),
    Seq(0x80),
    Seq(0xc3),
    Seq(0xe2, 0x82),
    Seq(0xf0, 0x9f),
    Seq(0xf0, 0x9f, 0x98),
    Seq(0xed, 0xa0, 0x80),
    Seq(0xc0, 0x80),
    Seq(0xe0, 0x80, 0x80),
    Seq(0xf4, 0x90, 0x80, 0x80),
    Seq(0xf8, 0x88, 0x80, 0x80, 0x80),
    Seq(0xbf, 0xbd),
    Seq(0xef, 0xbf)
  ).map(_.map(_.toByte).toArray)

  def randomText(random: Random, most: Int, of: Seq[String] = characters): String =
    Seq.fill(random.nextInt(most + 1))(random.oneOf(of: _*)).mkString

  def randomBytes(random: Random, most: Int): Array[Byte] = {
    val text = random.oneOf(characters, Seq("a", "b"))
    val spoilt = random.nextInt(3) == 0
    Seq.fill(random.nextInt(most + 1)) {
      if (spoilt && random.nextInt(4) == 0) random.oneOf(malformed: _*)
      else random.oneOf(text: _*).getBytes(UTF_8)
    }.flatten.toArray
  }

  /** Values in one array, as a page or a dictionary has them: apart, touching, or out of order. */
  case class Packed(values: Seq[Array[Byte]], random: Random) {
    private val gap = random.oneOf(0, 0, 4, 30)
    private val back = random.oneOf(0, 0, 1, 7, 8, 20)
    private val order =
      if (random.nextInt(3) == 0) random.shuffle(values.indices.toVector) else values.indices
    private def filler(n: Int) = Array.fill(n)(random.oneOf('a', 'b').toByte)

    val lengths: Array[Int] = values.map(_.length).toArray
    val offsets: Array[Int] = new Array[Int](values.size)
    val data: Array[Byte] = {
      val bytes = new ByteArrayOutputStream
      order.foreach { i =>
        bytes.writeBytes(filler(random.nextInt(gap + 1)))
        offsets(i) = bytes.size
        bytes.writeBytes(values(i))
      }
      bytes.writeBytes(filler(back))
      bytes.toByteArray
    }

    def filtered(test: BytesPredicate): Seq[Int] = {
      val out = new Array[Int](values.size)
      val cursor = test.cursor
      val n = cursor.filter(data, offsets, lengths, values.size, out)
      assert(cursor.filter(data, offsets, lengths, 0, out) == 0)
      val one = values.indices.filter(i => cursor.test(data, offsets(i), lengths(i)))
      assert(out.take(n).toSeq == one, s"by $test")
      one
    }
  }

  def hex(bytes: Array[Byte]): String = bytes.map(b => f"$b%02x").mkString(" ")
}
