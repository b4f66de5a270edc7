// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding

import java.nio.ByteBuffer

import scala.util.{Failure, Success, Try}

import org.apache.orc.OrcProto.ColumnEncoding.Kind
import org.apache.orc.OrcProto.Stream
import org.apache.orc.impl.{BufferChunk, InStream, RunLengthIntegerReaderV2}
import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.RandomCases

/** Compares runs with the examples of the ORC specification. */
class RunLengthSuite extends AnyFunSuite with RandomCases {
  private def stream(bytes: Seq[Int]): InStream = {
    val data = ByteBuffer.wrap(bytes.map(_.toByte).toArray)
    InStream.create("t", new BufferChunk(data, 0), 0, bytes.size)
  }

  private def feed(bytes: Seq[Int]): ByteFeed = new ByteFeed(stream(bytes), Stream.Kind.DATA)

  private def ints(kind: Kind, bytes: Seq[Int]): IntegerRunLength =
    IntegerRunLength.of(kind, feed(bytes), false, 64)

  private def read(runs: IntegerRunLength, indexes: Int*): Seq[Long] = {
    val out = new Array[Long](indexes.size)
    runs.read(indexes.toArray, indexes.size, out)
    out.toSeq
  }

  private val examples = Seq[(String, Kind, Seq[Int], Seq[Long])](
    ("short repeat", Kind.DIRECT_V2, Seq(0x0a, 0x27, 0x10), Seq.fill(5)(10000L)),
    (
      "direct",
      Kind.DIRECT_V2,
      Seq(0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef),
      Seq(23713L, 43806L, 57005L, 48879L)
    ),
    (
      "patched base",
      Kind.DIRECT_V2,
      Seq(0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46,
        0x50, 0x5a, 0x64, 0x6e, 0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8),
      Seq(2030L, 2000L, 2020L, 1000000L) ++ (2040L to 2190L by 10)
    ),
    (
      "delta",
      Kind.DIRECT_V2,
      Seq(0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46),
      Seq[Long](2, 3, 5, 7, 11, 13, 17, 19, 23, 29)
    ),
    ("version 1, repeated", Kind.DIRECT, Seq(0x61, 0x00, 0x07), Seq.fill(100)(7L)),
    ("version 1, falling", Kind.DIRECT, Seq(0x61, 0xff, 0x64), (1L to 100L).reverse),
    (
      "version 1, literals",
      Kind.DIRECT,
      Seq(0xfb, 0x02, 0x03, 0x04, 0x07, 0x0b),
      Seq[Long](2, 3, 4, 7, 11)
    )
  )

  for ((name, kind, bytes, values) <- examples) {
    test(s"$name: all values, any value, and none behind the last") {
      assert(read(ints(kind, bytes), values.indices: _*) == values)
      for (i <- values.indices) assert(read(ints(kind, bytes), i) == Seq(values(i)))
      val some = values.indices.filter(_ % 3 == 1)
      assert(read(ints(kind, bytes), some: _*) == some.map(values))
      // Three runs, of which the one between is passed over.
      val n = values.size
      val thrice = ints(kind, bytes ++ bytes ++ bytes)
      assert(read(thrice, 1, 2 * n + 2) == Seq(values(1), values(2)))
      intercept[CorruptStreamException](read(ints(kind, bytes), n))
    }

    test(s"$name: truncated bytes are corrupt") {
      for (length <- bytes.indices) {
        intercept[CorruptStreamException](
          read(ints(kind, bytes.take(length)), values.indices: _*)
        )
      }
    }
  }

  // The first byte of a run of version 2 has its kind in two bits. Bytes are more than a run takes:
  // behind the end of a stream orc-core goes on for as long as a length says.
  for ((name, kind) <- Seq(("direct", 1), ("patched base", 2), ("delta", 3))) {
    test(s"$name: a run of random bytes is read as by orc-core, or corrupt") {
      var read = 0
      forSeeds(300) { random =>
        val bytes = Seq.fill(6000)(if (random.nextInt(3) == 0) 0 else random.nextInt(256))
        val run = bytes.updated(0, kind << 6 | bytes.head & 0x3f)
        val n = ((run.head & 1) << 8 | run(1)) + 1
        for (
          theirs <- Try {
            val reader = new RunLengthIntegerReaderV2(stream(run), false, false)
            Seq.fill(n)(reader.next())
          }
        ) {
          val ours = Try(this.read(ints(Kind.DIRECT_V2, run), 0 until n: _*))
          ours match {
            case Success(values) =>
              assert(values == theirs)
              read += 1
            case Failure(e) => assert(e.isInstanceOf[CorruptStreamException])
          }
        }
      }
      assert(read > 100)
    }
  }

  test("bytes and bits come in runs and literals") {
    val out = new Array[Byte](3)
    val bytes = new ByteRunLength(feed(Seq(0x61, 0x00, 0xfe, 0x44, 0x45)))
    bytes.skip(99)
    bytes.read(3, out, 0)
    assert(out.toSeq == Seq[Byte](0, 0x44, 0x45))
    val words = new Array[Long](1)
    new BooleanRunLength(feed(Seq(0xff, 0x80))).read(8, words)
    assert(words(0) == 1)
  }
}
