// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding

import scala.util.Random

import org.apache.parquet.bytes.HeapByteBufferAllocator
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder
import org.scalatest.funsuite.AnyFunSuite

import latebloom.read.RandomCases

/** The cursor reads what parquet-java encodes, at any ascending indexes. */
class RleBitPackingHybridDecoderSuite extends AnyFunSuite with RandomCases {

  private def encode(values: Array[Int], bitWidth: Int): Array[Byte] = {
    val encoder =
      new RunLengthBitPackingHybridEncoder(bitWidth, 64, 1 << 20, new HeapByteBufferAllocator)
    try {
      values.foreach(encoder.writeInt)
      encoder.toBytes.toInputStream.readAllBytes()
    } finally encoder.close()
  }

  /** Stretches of one value between stretches of noise, so that both kinds of run occur. */
  private def values(random: Random, bitWidth: Int): Array[Int] = {
    def value() = if (bitWidth == 0) 0 else random.nextInt() >>> (32 - bitWidth)
    Array.fill(1 + random.nextInt(6)) {
      val n = 1 + random.nextInt(200)
      if (random.nextBoolean()) {
        val v = value()
        Array.fill(n)(v)
      } else Array.fill(n)(value())
    }.flatten
  }

  private def ascending(random: Random, n: Int): Array[Int] = {
    val keep = Seq(0.01, 0.3, 0.97, 1.0)(random.nextInt(4))
    (0 until n).filter(_ => random.nextDouble() < keep).toArray
  }

  test("values at ascending indexes are the written ones, for every bit width") {
    forSeeds(300) { random =>
      val bitWidth = random.nextInt(33)
      val written = values(random, bitWidth)
      val bytes = encode(written, bitWidth)
      val padded = bytes ++ new Array[Byte](random.nextInt(9))
      val cursor = new RleBitPackingHybridDecoder(padded, 0, bytes.length, bitWidth)
      for (block <- ascending(random, written.length).grouped(1 + random.nextInt(300))) {
        val out = new Array[Int](block.length)
        cursor.read(block, block.length, out)
        assert(out.toSeq == block.toSeq.map(written(_)))
      }
    }
  }

  test("one-bit values are returned as words of bits, across runs") {
    forSeeds(200) { random =>
      val written = values(random, 1)
      val bytes = encode(written, 1)
      val cursor = new RleBitPackingHybridDecoder(bytes, 0, bytes.length, 1)
      val step = 1 + random.nextInt(64)
      for (from <- written.indices by step) {
        val n = step.min(written.length - from)
        val word = cursor.ones(from, n)
        assert((0 until 64).map(b => word >>> b & 1) == written.slice(
          from,
          from + n
        ).padTo(64, 0).toSeq)
      }
    }
  }

  test("a run of one bit whose value takes more bits is neither of ones nor of zeros") {
    val bytes = Array[Byte](6, 1, 10, -1, 4, 2, 8, 0)
    def cursor = new RleBitPackingHybridDecoder(bytes, 0, bytes.length, 1)
    assert(cursor.ones(0, 14) == 7)
    assert(cursor.notZeros(0, 14) == 0x3ff)
  }

  test("a run that holds all requested indexes is recognised by its value") {
    val written = Array.fill(500)(5) ++ Array.tabulate(64)(_ % 7) ++ Array.fill(100)(3)
    val bytes = encode(written, 3)
    val cursor = new RleBitPackingHybridDecoder(bytes, 0, bytes.length, 3)
    assert(cursor.shared(0, 499) == 5)
    assert(cursor.shared(100, 510) == -1)
    assert(cursor.shared(520, 530) == -1)
    assert(cursor.shared(580, 663) == 3)
  }

  test("a page that ends before the requested index is corrupt") {
    val bytes = encode(Array.tabulate(100)(_ % 4), 2)
    val cursor = new RleBitPackingHybridDecoder(bytes, 0, bytes.length, 2)
    intercept[CorruptPageException](cursor.read(Array(50, 900), 2, new Array[Int](2)))
  }

  test("an impossible bit width, an empty run and an endless run header are corrupt") {
    intercept[CorruptPageException](new RleBitPackingHybridDecoder(Array[Byte](1), 0, 1, 33))
    def readFirst(bytes: Int*): Unit =
      new RleBitPackingHybridDecoder(bytes.map(_.toByte).toArray, 0, bytes.length, 1)
        .read(Array(0), 1, new Array[Int](1))
    intercept[CorruptPageException](readFirst(0, 1))
    intercept[CorruptPageException](readFirst(0xff, 0xff, 0xff, 0xff, 0xff, 0xff))
    intercept[CorruptPageException](readFirst(2))
  }

  test("noise never does worse than raise CorruptPageException") {
    forSeeds(500) { random =>
      val bytes = new Array[Byte](random.nextInt(40))
      random.nextBytes(bytes)
      try {
        val cursor = new RleBitPackingHybridDecoder(bytes, 0, bytes.length, random.nextInt(40))
        cursor.read(Array(0, 7, 100, 5000), 4, new Array[Int](4))
      } catch { case _: CorruptPageException => }
    }
  }
}
