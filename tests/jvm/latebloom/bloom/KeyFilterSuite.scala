// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.util.zip.CRC32C

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import latebloom.line.Compat._

/** Serialises filters, and reads bytes that are not filters. */
class KeyFilterSuite extends AnyFunSuite with Probing {
  import KeyDomain._

  private def longs(limits: KeyLimits, keys: Seq[Long]): KeyFilter = {
    val c = new KeyCollector(LONGS, limits)
    keys.foreach(c.add)
    c.finish().get
  }

  private def hashes(limits: KeyLimits, keys: Seq[Long]): KeyFilter = {
    val c = new KeyCollector(HASHES, limits)
    keys.foreach(c.addHash)
    c.finish().get
  }

  private def strings(limits: KeyLimits, keys: Seq[Array[Byte]]): KeyFilter = {
    val c = new KeyCollector(BYTES, limits)
    keys.foreach(k => c.add(k, 0, k.length))
    c.finish().get
  }

  private def compound(limits: KeyLimits, keys: Seq[(Long, Array[Byte])]): KeyFilter = {
    val c = new CompoundCollector(Seq(LONGS, null, BYTES).asJava, limits)
    keys.foreach { case (number, text) =>
      c.whole.addHash(number)
      c.part(0).add(number)
      c.part(2).add(text, 0, text.length)
    }
    c.finish().get
  }

  private def range(keys: Seq[Long]): KeyFilter = {
    val c = new RangeCollector
    keys.foreach(k => c.add(k, k))
    c.finish().get
  }

  /** One filter of each form and domain. */
  private def all(random: Random): Seq[KeyFilter] = {
    val n = random.oneOf(1, 5, 60)
    val few = new KeyLimits(100, 1024, 100000)
    val many = new KeyLimits(1, 1024, 100000)
    val far = Seq.fill(n + 2)(random.nextLong())
    val near = Seq.fill(n + 2)(random.nextInt(random.oneOf(100, 8000)).toLong)
    val text = Seq.fill(n + 2)(randomBytes(random, 30) :+ random.nextInt().toByte)
    KeyDomain.values().map(KeyFilter.empty).toSeq ++ Seq(
      longs(few, far),
      longs(few, near),
      longs(many, far),
      longs(many, near),
      hashes(few, far),
      hashes(many, far),
      strings(few, text),
      strings(many, text),
      compound(few, far.zip(text)),
      compound(many, near.zip(text)),
      range(far)
    )
  }

  private def described(f: KeyFilter) = (
    f.domain,
    f.form,
    f.keys,
    f.exact,
    f.min,
    f.max,
    f.minBytes.toScala.map(hex),
    f.maxBytes.toScala.map(hex),
    f.toString
  )

  private def checkSame(a: KeyFilter, b: KeyFilter, random: Random): Unit = {
    assert(described(a) == described(b))
    assert(a.serialize().sameElements(b.serialize()))
    (0 to 3).foreach { i =>
      val (left, right) = (a.part(i).toScala, b.part(i).toScala)
      assert(left.map(described) == right.map(described))
    }
    if (a.domain == BYTES) {
      val asked = Seq.fill(100)(randomBytes(random, 30))
      def passed(f: KeyFilter) = passingBytes(f.predicate, asked, random)
      assert(passed(a) == passed(b))
    } else {
      val asked = Seq.fill(100)(random.nextLong()) ++ (0L until 8000L by 7L)
      assert(passing(a.predicate, asked) == passing(b.predicate, asked))
    }
  }

  /** Changed bytes with a valid checksum. */
  private def resealed(bytes: Array[Byte]): Array[Byte] = {
    val sum = new CRC32C
    sum.update(bytes, 0, bytes.length - 4)
    bytes.dropRight(4) ++ (0 until 4).map(i => (sum.getValue >> 8 * i).toByte)
  }

  test("a filter is the same after serialisation, its own and Java's") {
    forSeeds(50) { random =>
      all(random).foreach { f =>
        checkSame(KeyFilter.deserialize(f.serialize()).get, f, random)
        val bytes = new ByteArrayOutputStream
        new ObjectOutputStream(bytes).writeObject(f)
        val copy = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray))
          .readObject().asInstanceOf[KeyFilter]
        checkSame(copy, f, random)
        assert(bytes.size < f.serialize().length + 200)
      }
    }
  }

  test("a predicate survives Java's serialisation") {
    forSeeds(20) { random =>
      all(random).filter(_.domain != BYTES).foreach { f =>
        val bytes = new ByteArrayOutputStream
        new ObjectOutputStream(bytes).writeObject(f.predicate)
        val copy = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray))
          .readObject().asInstanceOf[latebloom.read.predicate.ColumnPredicate]
        val asked = Seq.fill(100)(random.nextLong()) ++ (0L until 8000L by 7L)
        assert(passing(copy, asked) == passing(f.predicate, asked))
      }
    }
  }

  test("truncated, extended or changed bytes are no filter") {
    forSeeds(5) { random =>
      all(random).foreach { f =>
        val bytes = f.serialize()
        bytes.indices.foreach(n => assert(KeyFilter.deserialize(bytes.take(n)).isEmpty))
        assert(KeyFilter.deserialize(bytes :+ 0.toByte).isEmpty)
        bytes.indices.foreach { i =>
          val changed = bytes.clone()
          changed(i) = (changed(i) ^ (1 << random.nextInt(8))).toByte
          assert(KeyFilter.deserialize(changed).isEmpty)
        }
      }
    }
  }

  test("a wrong header under a valid checksum yields no filter or one of its kind") {
    forSeeds(20) { random =>
      all(random).foreach { f =>
        val bytes = f.serialize()
        // Magic, version, domain and form; then numbers and lengths.
        for (i <- 0 until math.min(40, bytes.length - 4); bit <- 0 until 8) {
          val changed = bytes.clone()
          changed(i) = (changed(i) ^ (1 << bit)).toByte
          val read = KeyFilter.deserialize(resealed(changed)).toScala
          if (i < 5) assert(read.isEmpty)
          read.foreach(r => assert(r.toString.nonEmpty && r.predicate != null))
        }
        for (n <- 0 until bytes.length - 4) {
          KeyFilter.deserialize(resealed(bytes.take(n) ++ new Array[Byte](4)))
        }
      }
    }
  }

  test("its text shows its size and no key") {
    val f = longs(KeyLimits.DEFAULT, Seq(123456789L, 987654321L))
    assert(f.toString == "set of 2 keys, 16 bytes")
    val bloom = longs(new KeyLimits(1, 1024, 1000), Seq(-123456789L, 1L << 60))
    assert(bloom.toString == "bloom of about 2 keys, 32 bytes")
    assert(bloom.predicate.toString == "Probed[probe=Bloom filter of 32 bytes]")
    assert(KeyFilter.empty(BYTES).toString == "empty of 0 keys, 0 bytes")
  }

  test("sparse keys take few bytes when they are serialised") {
    val random = new Random(5)
    val limits = new KeyLimits(1000, 1 << 20, 1 << 20)
    val f = longs(limits, Seq.fill(10000)(random.nextInt(1000000).toLong))
    assert(f.form == "bitmap" && f.serialize().length < 25000 && f.bytes > 120000)
  }
}
