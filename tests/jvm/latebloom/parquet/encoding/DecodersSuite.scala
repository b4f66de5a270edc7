// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding

import scala.util.Random

import org.apache.parquet.bytes.HeapByteBufferAllocator
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.bytestreamsplit.ByteStreamSplitValuesWriter.{
  DoubleByteStreamSplitValuesWriter,
  FloatByteStreamSplitValuesWriter
}
import org.apache.parquet.column.values.delta.{
  DeltaBinaryPackingValuesWriterForInteger,
  DeltaBinaryPackingValuesWriterForLong
}
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesWriter
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayWriter
import org.apache.parquet.column.values.plain._
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridValuesWriter
import org.apache.parquet.format.Encoding
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{
  FIXED_LEN_BYTE_ARRAY,
  INT32,
  INT64
}
import org.scalatest.funsuite.AnyFunSuite

import latebloom.LineWriters
import latebloom.parquet.types.FlatType
import latebloom.parquet.types.FlatType.Physical
import latebloom.read.RandomCases
import latebloom.read.predicate.VectorType
import latebloom.read.vector.{FixedValues, StringValues}

/** Each decoder reads what parquet-java's writers encode, at any ascending indexes. */
class DecodersSuite extends AnyFunSuite with RandomCases {
  private val heap = new HeapByteBufferAllocator

  private def bytesOf(writer: ValuesWriter): Array[Byte] =
    try writer.getBytes.toInputStream.readAllBytes()
    finally writer.close()

  /** Ranges of few, many, equal, and evenly spaced values, some with extremes among them. */
  private def numbers(random: Random, bits: Int): Array[Long] = {
    def any() = random.nextLong() >> (64 - bits)
    def stretch(n: Int): Seq[Long] = random.nextInt(6) match {
      case 0 => Seq.fill(n)(any())
      case 1 => val v = any(); Seq.fill(n)(v)
      case 2 => val v = any() >> 8; Seq.tabulate(n)(i => v + i * 3L)
      case 3 =>
        val width = random.nextInt(bits)
        Seq.fill(n)(if (width == 0) 0 else random.nextLong() >>> (64 - width))
      case 4 => Seq.fill(n)(random.oneOf(any(), -1L << (bits - 1), ~(-1L << (bits - 1))))
      case 5 => Seq.fill(n)(random.nextInt(100).toLong)
    }
    Array.fill(1 + random.nextInt(4))(stretch(1 + random.nextInt(400))).flatten
  }

  /** Strings that share starts with those before them, are equal to them, empty, or long. */
  private def strings(random: Random, length: Int): Array[Array[Byte]] = {
    val letters = random.oneOf(2, 200)
    var last = Array.emptyByteArray
    Array.fill(1 + random.nextInt(1500)) {
      val n =
        if (length >= 0) length else random.oneOf(0, 1, random.nextInt(12), random.nextInt(90))
      val kept = random.oneOf(0, last.length, random.nextInt(last.length + 1)).min(n)
      last = last.take(kept) ++ Array.fill(n - kept)(random.nextInt(letters).toByte)
      last
    }
  }

  private def ascending(random: Random, n: Int): Array[Int] = {
    val keep = random.oneOf(0.001, 0.01, 0.1, 0.5, 0.97, 1.0)
    val from = if (random.nextInt(4) == 0) random.nextInt(n) else 0
    (from until n).filter(_ => random.nextDouble() < keep).toArray
  }

  /** The bytes as a page has them: in the middle of an array, with or without bytes after them. */
  private def placed(random: Random, bytes: Array[Byte]): Bytes = {
    val before = random.nextInt(5)
    val after = random.oneOf(0, 0, 1, 8, 20)
    val all = Array.fill[Byte](before)(-1) ++ bytes ++ Array.fill[Byte](after)(-1)
    new Bytes(all, before, bytes.length)
  }

  /** One layout of numbers in pages. */
  private case class Form(
      name: String,
      physical: Physical,
      width: Int,
      encoding: Encoding,
      bits: Int,
      write: (Random, Array[Long]) => Array[Byte]
  ) {
    val flat = new FlatType(physical, width, VectorType.LONG, false)
  }

  private def written(writer: ValuesWriter, values: Array[Long])(one: Long => Unit): Array[Byte] = {
    values.foreach(one)
    bytesOf(writer)
  }

  private def ints(writer: ValuesWriter, values: Array[Long]) =
    written(writer, values)(v => writer.writeInteger(v.toInt))

  private def longs(writer: ValuesWriter, values: Array[Long]) =
    written(writer, values)(v => writer.writeLong(v))

  /** A writer of BYTE_STREAM_SPLIT for values of `width` bytes that are not floating-point. */
  private def splitting(of: PrimitiveTypeName, width: Int): ValuesWriter = {
    val writer = LineWriters.byteStreamSplit(of, width, heap)
    assume(writer.nonEmpty, s"this line's parquet-java writes no BYTE_STREAM_SPLIT of $of")
    writer.get
  }

  private def bigEndian(v: Long, width: Int): Binary =
    Binary.fromConstantByteArray(
      Array.tabulate(width)(i => (v >> (8 * (width - 1 - i))).toByte)
    )

  private def blocks(random: Random): (Int, Int) =
    random.oneOf((128, 4), (128, 1), (2048, 8), (64, 8))

  private val numeric: Seq[Form] = Seq(
    Form(
      "INT32",
      Physical.INT32,
      4,
      Encoding.PLAIN,
      32,
      (_, v) => ints(new PlainValuesWriter(64, 1 << 20, heap), v)
    ),
    Form(
      "INT64",
      Physical.INT64,
      8,
      Encoding.PLAIN,
      64,
      (_, v) => longs(new PlainValuesWriter(64, 1 << 20, heap), v)
    ),
    Form(
      "INT32",
      Physical.INT32,
      4,
      Encoding.DELTA_BINARY_PACKED,
      32,
      (r, v) => {
        val (block, minis) = blocks(r)
        ints(new DeltaBinaryPackingValuesWriterForInteger(block, minis, 64, 1 << 20, heap), v)
      }
    ),
    Form(
      "INT64",
      Physical.INT64,
      8,
      Encoding.DELTA_BINARY_PACKED,
      64,
      (r, v) => {
        val (block, minis) = blocks(r)
        longs(new DeltaBinaryPackingValuesWriterForLong(block, minis, 64, 1 << 20, heap), v)
      }
    ),
    Form(
      "INT32",
      Physical.INT32,
      4,
      Encoding.BYTE_STREAM_SPLIT,
      32,
      (_, v) => ints(splitting(INT32, 4), v)
    ),
    Form(
      "INT64",
      Physical.INT64,
      8,
      Encoding.BYTE_STREAM_SPLIT,
      64,
      (_, v) => longs(splitting(INT64, 8), v)
    ),
    Form(
      "FLOAT",
      Physical.FLOAT,
      4,
      Encoding.BYTE_STREAM_SPLIT,
      32,
      (_, v) => {
        val w = new FloatByteStreamSplitValuesWriter(64, 1 << 20, heap)
        written(w, v)(x => w.writeFloat(java.lang.Float.intBitsToFloat(x.toInt)))
      }
    ),
    Form(
      "DOUBLE",
      Physical.DOUBLE,
      8,
      Encoding.BYTE_STREAM_SPLIT,
      64,
      (_, v) => {
        val w = new DoubleByteStreamSplitValuesWriter(64, 1 << 20, heap)
        written(w, v)(x => w.writeDouble(java.lang.Double.longBitsToDouble(x)))
      }
    ),
    Form(
      "FIXED_LEN_BYTE_ARRAY(5)",
      Physical.BIG_ENDIAN,
      5,
      Encoding.PLAIN,
      40,
      (_, v) => {
        val w = new FixedLenByteArrayPlainValuesWriter(5, 64, 1 << 20, heap)
        written(w, v)(x => w.writeBytes(bigEndian(x, 5)))
      }
    ),
    Form(
      "FIXED_LEN_BYTE_ARRAY(6)",
      Physical.BIG_ENDIAN,
      6,
      Encoding.DELTA_BYTE_ARRAY,
      48,
      (_, v) => {
        val w = new DeltaByteArrayWriter(64, 1 << 20, heap)
        written(w, v)(x => w.writeBytes(bigEndian(x, 6)))
      }
    ),
    Form(
      "FIXED_LEN_BYTE_ARRAY(7)",
      Physical.BIG_ENDIAN,
      7,
      Encoding.BYTE_STREAM_SPLIT,
      56,
      (_, v) => {
        val w = splitting(FIXED_LEN_BYTE_ARRAY, 7)
        written(w, v)(x => w.writeBytes(bigEndian(x, 7)))
      }
    ),
    Form(
      "BOOLEAN",
      Physical.BOOLEAN,
      0,
      Encoding.PLAIN,
      1,
      (_, v) => {
        val w = new BooleanPlainValuesWriter()
        written(w, v)(x => w.writeBoolean(x != 0))
      }
    ),
    Form(
      "BOOLEAN",
      Physical.BOOLEAN,
      0,
      Encoding.RLE,
      1,
      (_, v) => {
        val w = new RunLengthBitPackingHybridValuesWriter(1, 64, 1 << 20, heap)
        written(w, v)(x => w.writeBoolean(x != 0))
      }
    )
  )

  private def valuesFor(form: Form, random: Random): Array[Long] = {
    val values = numbers(random, form.bits)
    form.physical match {
      case Physical.BOOLEAN => values.map(_ & 1)
      // The writers know but one NaN.
      case Physical.FLOAT =>
        import java.lang.Float._
        values.map(v => floatToIntBits(intBitsToFloat(v.toInt)).toLong)
      case Physical.DOUBLE =>
        import java.lang.Double._
        values.map(v => doubleToLongBits(longBitsToDouble(v)))
      case _ => values
    }
  }

  private def readAll(values: FixedValues, blocks: Iterator[Array[Int]]): Seq[Long] =
    blocks.flatMap { block =>
      val out = new Array[Long](block.length)
      values.read(block, block.length, out)
      out
    }.toSeq

  private def readAll(values: StringValues, blocks: Iterator[Array[Int]]): Seq[Seq[Byte]] =
    blocks.flatMap { block =>
      val offsets, lengths = new Array[Int](block.length)
      values.locate(block, block.length, offsets, lengths)
      block.indices.map(i => values.data.slice(offsets(i), offsets(i) + lengths(i)).toSeq)
    }.toSeq

  for (form <- numeric) {
    test(s"${form.name} in ${form.encoding}: values are read at any ascending indexes") {
      forSeeds(200) { random =>
        val values = valuesFor(form, random)
        val page = placed(random, form.write(random, values))
        val wanted = ascending(random, values.length)
        val decoder = Decoders.fixed(form.flat, form.encoding, page, values.length)
        val found = readAll(decoder, wanted.grouped(1 + random.nextInt(1024)))
        assert(found == wanted.toSeq.map(values(_)))
      }
    }

    test(s"${form.name} in ${form.encoding}: damaged bytes give other values or are corrupt") {
      forSeeds(300) { random =>
        val values = valuesFor(form, random)
        val bytes = damaged(random, form.write(random, values))
        val wanted = ascending(random, values.length)
        corruptAtWorst {
          val decoder =
            Decoders.fixed(form.flat, form.encoding, placed(random, bytes), values.length)
          readAll(decoder, wanted.grouped(1 + random.nextInt(1024)))
        }
      }
    }
  }

  for (
    form <-
      numeric.filter(form => form.name.matches("INT32|INT64") && form.encoding == Encoding.PLAIN)
  ) {
    test(s"${form.name} in PLAIN: the least of any neighbours is found") {
      forSeeds(300) { random =>
        val values = valuesFor(form, random)
        val page = placed(random, form.write(random, values))
        val plain = new PlainDecoder(form.flat, page, values.length)
        val first = random.nextInt(values.length)
        val n = 1 + random.nextInt((values.length - first).min(random.oneOf(4, 2000)))
        assert(plain.least(first, n) == values.slice(first, first + n).min)
      }
    }
  }

  private def binary(writer: ValuesWriter, values: Array[Array[Byte]]): Array[Byte] = {
    values.foreach(v => writer.writeBytes(Binary.fromConstantByteArray(v)))
    bytesOf(writer)
  }

  /** One layout of byte strings in pages; length -1 means any. */
  private case class StringForm(length: Int, encoding: Encoding, writer: () => ValuesWriter) {
    val flat: FlatType =
      if (length < 0) new FlatType(Physical.BINARY, 0, VectorType.BYTES, false)
      else new FlatType(Physical.FIXED_BINARY, length, VectorType.BYTES, false)
  }

  private val textual = Seq(
    StringForm(-1, Encoding.PLAIN, () => new PlainValuesWriter(64, 1 << 20, heap)),
    StringForm(
      -1,
      Encoding.DELTA_LENGTH_BYTE_ARRAY,
      () => new DeltaLengthByteArrayValuesWriter(64, 1 << 20, heap)
    ),
    StringForm(-1, Encoding.DELTA_BYTE_ARRAY, () => new DeltaByteArrayWriter(64, 1 << 20, heap)),
    StringForm(
      9,
      Encoding.PLAIN,
      () => new FixedLenByteArrayPlainValuesWriter(9, 64, 1 << 20, heap)
    ),
    StringForm(11, Encoding.DELTA_BYTE_ARRAY, () => new DeltaByteArrayWriter(64, 1 << 20, heap)),
    StringForm(
      13,
      Encoding.BYTE_STREAM_SPLIT,
      () => splitting(FIXED_LEN_BYTE_ARRAY, 13)
    )
  )

  for (form <- textual) {
    val name =
      s"strings of ${if (form.length < 0) "any" else form.length} bytes in ${form.encoding}"

    test(s"$name are found at any ascending indexes") {
      forSeeds(200) { random =>
        val values = strings(random, form.length)
        val page = placed(random, binary(form.writer(), values))
        val wanted = ascending(random, values.length)
        val decoder = Decoders.strings(form.flat, form.encoding, page, values.length)
        val found = readAll(decoder, wanted.grouped(1 + random.nextInt(1024)))
        assert(found == wanted.toSeq.map(values(_).toSeq))
      }
    }

    test(s"$name: damaged bytes give other values or are corrupt") {
      forSeeds(300) { random =>
        val values = strings(random, form.length)
        val bytes = damaged(random, binary(form.writer(), values))
        val wanted = ascending(random, values.length)
        corruptAtWorst {
          val decoder =
            Decoders.strings(form.flat, form.encoding, placed(random, bytes), values.length)
          readAll(decoder, wanted.grouped(1 + random.nextInt(1024)))
        }
      }
    }
  }

  /** A few bytes changed, mostly near the front, where the counts are; sometimes the end cut off.
    */
  private def damaged(random: Random, bytes: Array[Byte]): Array[Byte] = {
    val b = bytes.clone()
    for (_ <- 0 to random.nextInt(4) if b.nonEmpty) {
      b(random.nextInt(random.oneOf(b.length, b.length.min(12)))) =
        random.oneOf(random.nextInt().toByte, -1.toByte, 0.toByte)
    }
    if (random.nextInt(3) == 0) b.take(random.nextInt(b.length + 1)) else b
  }

  /** Columns turn both into an error that names the page. */
  private def corruptAtWorst(body: => Any): Unit =
    try body
    catch { case _: CorruptPageException | _: IndexOutOfBoundsException => }

  test("a page that claims fewer delta-coded values than it must have is corrupt") {
    val w = new DeltaBinaryPackingValuesWriterForInteger(64, 1 << 20, heap)
    val bytes = ints(w, Array(1, 2, 3))
    val page = new Bytes(bytes, 0, bytes.length)
    intercept[CorruptPageException](new DeltaBinaryPackedDecoder(page, 4, true))
  }

  test("blocks that can't be cut into miniblocks of eights are corrupt") {
    for (header <- Seq(Seq(0, 1), Seq(8, 0), Seq(12, 1), Seq(16, 3))) {
      val bytes = (header ++ Seq(1, 0)).map(_.toByte).toArray
      val page = new Bytes(bytes, 0, bytes.length)
      intercept[CorruptPageException](new DeltaBinaryPackedDecoder(page, 1, true))
    }
  }

  test("a bit width of more than 64 is corrupt") {
    val bytes = Array[Byte](8, 1, 9, 0, 0, 65) ++ new Array[Byte](100)
    val cursor = new DeltaBinaryPackedDecoder(new Bytes(bytes, 0, bytes.length), 9, false)
    intercept[CorruptPageException](cursor.read(Array(5), 1, new Array[Long](1)))
  }

  test("a claim of two thousand million strings costs no memory") {
    // Two blocks of 2^27 * 8 values, all deltas 0, are nine bytes: every length is 0.
    val count = Int.MaxValue
    val lengths =
      Seq(0x80, 0x80, 0x80, 0x80, 0x04, 1, 0xff, 0xff, 0xff, 0xff, 0x07, 0) ++
        Seq(0, 0) ++ Seq(0, 0)
    val bytes = lengths.map(_.toByte).toArray
    val flat = new FlatType(Physical.BINARY, 0, VectorType.BYTES, false)
    val page = new Bytes(bytes, 0, bytes.length)
    val decoder = Decoders.strings(flat, Encoding.DELTA_LENGTH_BYTE_ARRAY, page, count)
    val offsets, found = Array(-1)
    decoder.locate(Array(1 << 20), 1, offsets, found)
    assert(offsets.toSeq == Seq(bytes.length) && found.toSeq == Seq(0))
  }

  test("an encoding that is not defined for the type is corrupt") {
    val page = new Bytes(new Array[Byte](64), 0, 64)
    for {
      (physical, encoding) <- Seq(
        Physical.FLOAT -> Encoding.DELTA_BINARY_PACKED,
        Physical.INT32 -> Encoding.RLE,
        Physical.INT64 -> Encoding.DELTA_BYTE_ARRAY
      )
    } intercept[CorruptPageException] {
      Decoders.fixed(new FlatType(physical, 4, VectorType.INT, false), encoding, page, 1)
    }
  }
}
