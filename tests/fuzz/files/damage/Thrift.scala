// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.files.damage

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.collection.mutable.ArrayBuffer

/** A value in Thrift's compact protocol, as far as Parquet's metadata uses it: without a schema, so
  * that any part can be changed and written again.
  *
  * @see
  *   https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
  */
sealed trait Thrift

object Thrift {
  final case class Bool(var value: Boolean) extends Thrift

  /** A number of 1, 2, 4 or 8 bytes. */
  final case class Number(kind: Int, var value: Long) extends Thrift

  final case class Real(var bits: Long) extends Thrift

  final case class Bytes(var value: Array[Byte]) extends Thrift

  final case class List(kind: Int, items: ArrayBuffer[Thrift]) extends Thrift

  final case class Field(id: Int, var value: Thrift)

  final case class Struct(fields: ArrayBuffer[Field]) extends Thrift {
    def get(id: Int): Option[Thrift] = fields.collectFirst { case Field(`id`, value) => value }

    def struct(id: Int): Option[Struct] = get(id).collect { case s: Struct => s }

    def structs(id: Int): Seq[Struct] =
      get(id).toSeq.collect { case List(_, items) => items }.flatten.collect { case s: Struct => s }

    def number(id: Int): Option[Long] = get(id).collect { case Number(_, n) => n }

    def texts(id: Int): Seq[String] = get(id).toSeq
      .collect { case List(_, items) => items }
      .flatten
      .collect { case Bytes(b) => new String(b, ISO_8859_1) }

    def text(id: Int): Option[String] = get(id).collect { case Bytes(b) =>
      new String(b, ISO_8859_1)
    }

    /** Sets a number and keeps its kind; inserts one of the given kind if there is none. */
    def set(id: Int, value: Long, kind: Int): Unit = get(id) match {
      case Some(n: Number) => n.value = value
      case _               =>
        fields.filterInPlace(_.id != id)
        val at = fields.indexWhere(_.id > id)
        fields.insert(if (at < 0) fields.size else at, Field(id, Number(kind, value)))
    }
  }

  val Int32 = 5
  val Int64 = 6

  /** A struct of 32-bit numbers. */
  def struct(numbers: (Int, Long)*): Struct =
    Struct(ArrayBuffer.from(numbers.map { case (id, n) => Field(id, Number(Int32, n)) }))

  /** Reads a struct at `from`; returns it and the offset after it. */
  def read(data: Array[Byte], from: Int): (Struct, Int) = {
    val in = new Reader(data, from)
    val struct = in.struct(0)
    (struct, in.at)
  }

  def write(struct: Struct): Array[Byte] = {
    val out = new Writer
    out.struct(struct)
    out.bytes.toByteArray
  }

  final private class Reader(data: Array[Byte], var at: Int) {
    def struct(depth: Int): Struct = {
      require(depth < 20, "too deep")
      val fields = ArrayBuffer.empty[Field]
      var id = 0
      var head = byte()
      while (head != 0) {
        id = if (head >> 4 == 0) zigzag().toInt else id + (head >> 4)
        val value = head & 15 match {
          case 1    => Bool(true)
          case 2    => Bool(false)
          case kind => this.value(kind, depth)
        }
        fields += Field(id, value)
        head = byte()
      }
      Struct(fields)
    }

    private def value(kind: Int, depth: Int): Thrift = kind match {
      case 1 | 2     => Bool(byte() == 1)
      case 3         => Number(3, byte().toByte.toLong)
      case 4 | 5 | 6 => Number(kind, zigzag())
      case 7         => Real((0 until 8).map(i => byte().toLong << 8 * i).reduce(_ | _))
      case 8         =>
        val n = varint().toInt
        require(n >= 0 && n <= data.length - at, "bytes past the end")
        at += n
        Bytes(data.slice(at - n, at))
      case 9 | 10 =>
        val head = byte()
        val n = if (head >> 4 == 15) varint().toInt else head >> 4
        require(n >= 0 && n <= data.length - at && depth < 20, "a list past the end")
        List(head & 15, ArrayBuffer.fill(n)(value(head & 15, depth + 1)))
      case 12 => struct(depth + 1)
      case _  => throw new IllegalArgumentException(s"kind $kind")
    }

    private def byte(): Int = {
      at += 1
      data(at - 1) & 0xff
    }

    private def varint(): Long = {
      var result = 0L
      var shift = 0
      var b = byte()
      while (b >= 0x80 && shift < 63) {
        result |= (b & 0x7f).toLong << shift
        shift += 7
        b = byte()
      }
      result | (b & 0x7f).toLong << shift
    }

    private def zigzag(): Long = {
      val n = varint()
      n >>> 1 ^ -(n & 1)
    }
  }

  final private class Writer {
    val bytes = new ByteArrayOutputStream

    def struct(struct: Struct): Unit = {
      var last = 0
      struct.fields.foreach { f =>
        val kind = f.value match {
          case Bool(b)      => if (b) 1 else 2
          case Number(k, _) => k
          case Real(_)      => 7
          case Bytes(_)     => 8
          case List(_, _)   => 9
          case Struct(_)    => 12
        }
        if (f.id > last && f.id - last < 16) {
          bytes.write(f.id - last << 4 | kind)
        } else {
          bytes.write(kind)
          zigzag(f.id.toLong)
        }
        last = f.id
        if (!f.value.isInstanceOf[Bool]) value(f.value)
      }
      bytes.write(0)
    }

    private def value(value: Thrift): Unit = value match {
      case Bool(b)      => bytes.write(if (b) 1 else 2)
      case Number(3, n) => bytes.write(n.toInt)
      case Number(_, n) => zigzag(n)
      case Real(bits)   => (0 until 8).foreach(i => bytes.write((bits >>> 8 * i).toInt))
      case Bytes(b)     =>
        varint(b.length.toLong)
        bytes.write(b)
      case List(kind, items) =>
        if (items.size < 15) bytes.write(items.size << 4 | kind)
        else {
          bytes.write(0xf0 | kind)
          varint(items.size.toLong)
        }
        items.foreach(this.value)
      case s: Struct => struct(s)
    }

    private def varint(n: Long): Unit = {
      var left = n
      while ((left & ~0x7fL) != 0) {
        bytes.write((left & 0x7f | 0x80).toInt)
        left >>>= 7
      }
      bytes.write(left.toInt)
    }

    private def zigzag(n: Long): Unit = varint(n << 1 ^ n >> 63)
  }
}
