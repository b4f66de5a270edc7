// SPDX-License-Identifier: Apache-2.0
package latebloom.read.text

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.CompletableFuture

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.unsafe.types.{ByteArray, UTF8String}

import latebloom.read.RandomBytes

/** Compares predicates of byte strings with Spark's own strings. */
class BytesPredicateSuite extends AnyFunSuite with RandomBytes {
  private case class Case(test: BytesPredicate, model: UTF8String => Boolean)

  private def spark(bytes: Array[Byte]): UTF8String = UTF8String.fromBytes(bytes)

  private def randomLeaf(random: Random): Case = {
    def value() = randomBytes(random, random.oneOf(0, 1, 2, 3, 12))
    random.nextInt(9) match {
      case 0 =>
        val v = value()
        Case(BytesPredicate.equalTo(v), _ == spark(v))
      case 1 | 2 =>
        val (lo, hi) = (random.oneOf(null, value(), value()), random.oneOf(null, value(), value()))
        val (loIn, hiIn) = (random.nextBoolean(), random.nextBoolean())
        Case(
          BytesPredicate.range(lo, loIn, hi, hiIn),
          s =>
            (lo == null || ByteArray.compareBinary(s.getBytes, spark(lo).getBytes) > (if (loIn) -1
                                                                                      else 0)) &&
              (hi == null || ByteArray.compareBinary(s.getBytes, spark(hi).getBytes) < (if (hiIn) 1
                                                                                        else 0))
        )
      case 3 =>
        val values = Seq.fill(random.oneOf(0, 1, 2, 5, 40))(value())
        Case(BytesPredicate.in(values.asJava), values.map(spark).toSet)
      case 4 =>
        val v = value()
        Case(BytesPredicate.startsWith(v), _.startsWith(spark(v)))
      case 5 =>
        val v = value()
        Case(BytesPredicate.endsWith(v), _.endsWith(spark(v)))
      case 6 =>
        val v = value()
        Case(BytesPredicate.contains(v), _.contains(spark(v)))
      case 7 =>
        val v = randomText(random, 3, Seq("a", "b", "é"))
        Case(
          BytesPredicate.like(LikePattern.compile(s"%$v%", '\\').get),
          _.contains(spark(v.getBytes(UTF_8)))
        )
      case _ =>
        if (random.nextBoolean()) Case(BytesPredicate.none, _ => false)
        else Case(BytesPredicate.all, _ => true)
    }
  }

  private def randomTest(random: Random, depth: Int): Case =
    if (depth == 0) randomLeaf(random)
    else {
      val a = randomTest(random, depth - 1)
      random.nextInt(5) match {
        case 0 => a
        case 1 => Case(a.test.negate, s => !a.model(s))
        case 2 => Case(BytesPredicate.caseMapped(a.test, true, false), s => a.model(s.toUpperCase))
        case 3 =>
          val b = randomTest(random, depth - 1)
          Case(a.test.and(b.test), s => a.model(s) && b.model(s))
        case _ =>
          val b = randomTest(random, depth - 1)
          Case(a.test.or(b.test), s => a.model(s) || b.model(s))
      }
    }

  private def check(c: Case, packed: Packed): Unit = {
    val passed = packed.filtered(c.test).toSet
    packed.values.zipWithIndex.foreach { case (value, i) =>
      assert(passed(i) == c.model(spark(value)), s"for ${hex(value)} ${c.test}")
    }
  }

  private def values(random: Random): Packed =
    Packed(Seq.fill(60)(randomBytes(random, random.oneOf(0, 1, 2, 3, 12, 25))), random)

  test("a single predicate passes what Spark's string functions and comparisons pass") {
    forSeeds(500)(random => check(randomLeaf(random), values(random)))
  }

  test("combined predicates pass what the combined conditions pass") {
    forSeeds(500)(random => check(randomTest(random, 3), values(random)))
  }

  private def intervals(random: Random): Seq[(Array[Byte], Array[Byte])] =
    Seq.fill(40)(random.oneOf(0, 1, 2, 3)).map { length =>
      val Seq(a, b) = Seq.fill(2)(randomBytes(random, length))
      if (ByteArray.compareBinary(a, b) <= 0) (a, b) else (b, a)
    }

  private def within(min: Array[Byte], max: Array[Byte])(value: Array[Byte]): Boolean =
    ByteArray.compareBinary(min, value) <= 0 && ByteArray.compareBinary(value, max) <= 0

  test("no string of an interval that is disjoint with a predicate passes it") {
    forSeeds(500) { random =>
      val c = randomTest(random, random.nextInt(3))
      val some = values(random).values
      intervals(random).foreach { case (min, max) =>
        if (c.test.isDisjoint(min, max)) {
          (some ++ Seq(min, max)).filter(within(min, max)).foreach { value =>
            assert(!c.model(spark(value)), s"${hex(value)} in ${hex(min)}..${hex(max)}, ${c.test}")
          }
        }
      }
    }
  }

  test("an interval is disjoint with strings, or with a range, exactly if it holds none") {
    forSeeds(300) { random =>
      def value() = randomBytes(random, random.oneOf(0, 1, 2, 3))
      val some = Seq.fill(random.oneOf(0, 1, 2, 5, 40))(value())
      val in = BytesPredicate.in(some.asJava)
      val (lo, hi) = intervals(random).head
      val range = BytesPredicate.range(lo, true, hi, true)
      intervals(random).foreach { case (min, max) =>
        assert(in.isDisjoint(min, max) == !some.exists(within(min, max)))
        assert(range.isDisjoint(min, max) == !(within(min, max)(lo) || within(lo, hi)(min)))
      }
    }
  }

  test("a predicate survives serialisation") {
    forSeeds(100) { random =>
      val c = randomTest(random, 2)
      val bytes = new ByteArrayOutputStream
      new ObjectOutputStream(bytes).writeObject(c.test)
      val copy = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray))
        .readObject().asInstanceOf[BytesPredicate]
      assert(copy.toString == c.test.toString)
      check(c.copy(test = copy), values(random))
    }
  }

  test("threads test strings by one predicate at the same time") {
    val random = new Random(1)
    val cases = Seq.fill(50)(randomTest(random, 3))
    val threads = (1 to 4).map { seed =>
      CompletableFuture.runAsync { () =>
        val random = new Random(seed)
        cases.foreach(check(_, values(random)))
      }
    }
    threads.foreach(_.get())
  }

  test("conditions that are equivalent to a simpler one become it") {
    def bytes(text: String) = text.getBytes(UTF_8)
    val a = BytesPredicate.range(bytes("a"), true, null, false)
    val m = BytesPredicate.range(null, false, bytes("m"), true)
    assert(a.and(m).toString == ">= 'a' AND <= 'm'")
    assert(a.and(BytesPredicate.range(null, false, bytes("a"), true)).toString == "= 'a'")
    assert(a.and(BytesPredicate.range(null, false, bytes("a"), false)).isNone)
    assert(BytesPredicate.equalTo(bytes("x")).and(m).isNone)
    assert(BytesPredicate.equalTo(bytes("x")).or(BytesPredicate.equalTo(bytes("b"))).toString
      == "IN ('b', 'x')")
    assert(BytesPredicate.startsWith(Array()).isAll)
    assert(BytesPredicate.in(List.empty[Array[Byte]].asJava).isNone)
    assert(a.negate.negate == a && BytesPredicate.all.negate.isNone)
    assert(BytesPredicate.equalTo(Array(0xff.toByte, 1)).toString == "= X'FF01'")
  }
}
