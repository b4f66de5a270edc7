// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page

import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.metadata.CompressionCodecName._
import org.scalatest.funsuite.AnyFunSuite

import latebloom.parquet.encoding.{Bytes, CorruptPageException}
import latebloom.read.RandomCases

/** Decompression restores what parquet-java's codecs compress; a wrong size is an error. */
class DecompressorSuite extends AnyFunSuite with RandomCases {
  private val codecs = Seq(UNCOMPRESSED, SNAPPY, GZIP, ZSTD, LZ4_RAW)

  private def compress(codec: CompressionCodecName, bytes: Array[Byte]): Array[Byte] = {
    val f = new CodecFactory(new Configuration(), 1024)
    try f.getCompressor(codec).compress(BytesInput.from(
        bytes,
        0,
        bytes.length
      )).toInputStream.readAllBytes()
    finally f.release()
  }

  private def withDecompressor[T](body: Decompressor => T): T = {
    val d = new Decompressor(new CodecFactory(new Configuration(), 1024))
    try body(d)
    finally d.close()
  }

  private def data(random: Random): Array[Byte] = {
    val bytes = new Array[Byte](1 + random.nextInt(200000))
    if (random.nextBoolean()) random.nextBytes(bytes)
    else bytes.indices.foreach(i => bytes(i) = (i / 7 % 11).toByte)
    bytes
  }

  for (codec <- codecs) {
    test(s"$codec: decompression restores the bytes, in the middle of an array") {
      forSeeds(20) { random =>
        val bytes = data(random)
        val compressed = compress(codec, bytes)
        val from =
          new Bytes(Array[Byte](1, 2, 3) ++ compressed ++ Array[Byte](4), 3, compressed.length)
        withDecompressor { d =>
          val to = new Array[Byte](bytes.length + 10)
          d.decompress(codec, from, to, 5, bytes.length)
          assert(to.slice(5, 5 + bytes.length).sameElements(bytes))
        }
      }
    }

    test(s"$codec: another size than the header's is corrupt") {
      val bytes = Array.tabulate(5000)(i => (i % 13).toByte)
      val compressed = compress(codec, bytes)
      val from = new Bytes(compressed, 0, compressed.length)
      for (size <- Seq(4999, 5001, 1)) withDecompressor { d =>
        intercept[CorruptPageException] {
          d.decompress(codec, from, new Array[Byte](6000), 0, size)
        }
      }
    }
  }

  for (codec <- codecs.filter(_ != UNCOMPRESSED)) {
    test(s"$codec: flipped bytes never do worse than another answer or CorruptPageException") {
      forSeeds(100) { random =>
        val bytes = data(random)
        val compressed = compress(codec, bytes)
        for (_ <- 0 to random.nextInt(3)) {
          compressed(random.nextInt(compressed.length)) = random.nextInt().toByte
        }
        withDecompressor { d =>
          try {
            d.decompress(
              codec,
              new Bytes(compressed, 0, compressed.length),
              new Array[Byte](bytes.length),
              0,
              bytes.length
            )
          } catch { case _: CorruptPageException => }
        }
      }
    }
  }

  test("Hadoop's framing of LZ4 is read block by block") {
    val bytes = Array.tabulate(3000)(i => (i % 17).toByte)
    val blocks = bytes.grouped(1000).toSeq.map { b =>
      val raw = compress(LZ4_RAW, b)
      java.nio.ByteBuffer.allocate(
        8 + raw.length
      ).putInt(b.length).putInt(raw.length).put(raw).array()
    }
    val framed = blocks.flatten.toArray
    withDecompressor { d =>
      val to = new Array[Byte](3000)
      d.decompress(LZ4, new Bytes(framed, 0, framed.length), to, 0, 3000)
      assert(to.sameElements(bytes))
      intercept[CorruptPageException] {
        d.decompress(LZ4, new Bytes(framed, 0, framed.length - 1), to, 0, 3000)
      }
    }
  }
}
